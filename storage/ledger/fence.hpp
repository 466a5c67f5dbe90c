#pragma once
// SPDX-License-Identifier: Apache-2.0
// The fence: proves within a transaction that an incarnation is alive and keeps it so until the
// transaction ends. Renewing a lease does not conflict with the lock, reaping does.
//
// It proves as well that the database still has everything that this process knows under the
// incarnation, and raises the mark of the session (storage/history). Marks are compared in each
// transaction and not only on new connections: so it doesn't matter how a connection came to
// another server, nor which thread is late to say what was acknowledged by the old one.

#include <string_view>

#include "pipeline/base/ids.hpp"
#include "storage/history/known_history.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

// What the statements that prove an incarnation have in common. $1 is the incarnation, $2 the slot
// of the session.

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

/// Its lease ran out, or somebody ended it.
Error fenced(IncarnationId incarnation);

/// Of a job that is no longer, or never was, under the incarnation.
Error not_running(LedgerJobId job, IncarnationId self);

/// Fenced when the incarnation is dead, its lease has run out though nobody noticed yet, or it is
/// void.
Result<void> fence(Transaction& transaction, IncarnationId incarnation);

/// The same, and waits for every other transaction of this incarnation: for what takes jobs away
/// from it, so that none of its writes can come after that.
Result<void> fence_alone(Transaction& transaction, IncarnationId incarnation);

/// For reads of what was acknowledged before, a job's rows by its number: Fenced when the database
/// lacks something of it, as its numbers may mean other rows by now, or when the incarnation has
/// ended. Locks and writes nothing.
Result<void> same_history(Transaction& transaction, IncarnationId incarnation);

/// What a fence has to say of history, for statements that prove more at once. Made before the
/// statement runs, which answers with all marks of the incarnation ("slot:mark slot:mark"), or
/// compares them itself with those that are expected().
class HistoryProof {
 public:
  HistoryProof(Transaction& transaction, IncarnationId self);

  /// Fenced when the incarnation is known to be void.
  Result<void> begin() const;

  /// What is to be in the marks, after begin().
  const HistoryMarks& expected() const { return *expected_; }

  /// Fenced when something is missing in the marks that the statement found.
  Result<void> compare(std::string_view found) const;

  /// The statement raised the session's mark to this: known once the transaction has committed.
  void raised(std::int64_t mark) const;
  /// The same, of a statement that wasn't waited for; it answers with `mark`.
  void raised(LaterRows answer) const;

  /// In a statement of its own, whose lease may have run out.
  Result<void> look() const;

  /// Why the statement found no incarnation with a living lease.
  Error refused() const;

 private:
  Transaction& transaction_;
  IncarnationId self_;
  Result<HistoryMarks> expected_;
};

}  // namespace ba::storage
