#pragma once
// SPDX-License-Identifier: Apache-2.0
// Some deltas of different jobs as one transaction: fence, ownership, rows. The whole group fails
// together (fence, connection, refused data); a delta whose job does not run under the incarnation
// is refused alone and the others go on.
//
// Nearly always all is as this process knows it: the incarnation lives, its marks and jobs are
// there. So that is proven by a statement whose answer nobody waits for: the rows and COMMIT go
// with it, in one round trip, and where it isn't so an error of the statement keeps them out. Then
// the group is written again, after asking what is different.

#include <atomic>
#include <vector>

#include "pipeline/core/ledger/delta.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

/// One verdict per delta, in order.
using Verdicts = std::vector<Result<void>>;

/// A repeated final delta of a job that this incarnation has finished is accepted and not written.
/// An error says maybe_done if any try of either way may have committed. Counts its transactions.
Result<Verdicts> commit_deltas(Session& session, IncarnationId self,
                               const std::vector<const Delta*>& deltas,
                               std::atomic<std::int64_t>& transactions);

/// About how many bytes a delta adds to a statement; cheap.
std::size_t delta_bytes(const Delta& delta);

}  // namespace ba::storage
