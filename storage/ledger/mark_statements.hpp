#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the statements that prove an incarnation have in common. $1 is the incarnation, $2 the slot
// of the session.

namespace ba {

/// A lock clause follows: `alive` has a row only of a living incarnation, and holds the lock on it.
inline constexpr char kAlive[] = R"sql(
  WITH alive AS MATERIALIZED (
    SELECT id FROM incarnations
    WHERE id = $1 AND state = 'alive' AND lease_until > clock_timestamp()
    FOR )sql";

/// Ends what kAlive began: the slot's mark is raised, if the incarnation is alive.
inline constexpr char kRaised[] = R"sql(
  ), raised AS (
    INSERT INTO incarnation_marks AS m (incarnation, slot, mark) SELECT id, $2::smallint, 1 FROM alive
    ON CONFLICT (incarnation, slot) DO UPDATE SET mark = m.mark + 1 RETURNING mark
  )
  )sql";

/// "slot:mark slot:mark", as they were before the statement raises one.
inline constexpr char kMarks[] =
    "(SELECT string_agg(slot || ':' || mark, ' ') FROM incarnation_marks WHERE incarnation = $1)";

}  // namespace ba
