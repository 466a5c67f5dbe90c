#pragma once
// SPDX-License-Identifier: Apache-2.0
// Some deltas of different jobs as one transaction: fence, ownership, rows. The whole group fails
// together (fence, connection, refused data); a delta whose job does not run under the incarnation
// is refused alone and the others go on.

#include <vector>

#include "pipeline/core/ledger/delta.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

/// One verdict per delta, in order.
using Verdicts = std::vector<Result<void>>;

/// A repeated final delta of a job that this incarnation has finished is accepted and not written.
Result<Verdicts> write_deltas(Transaction& transaction, IncarnationId self,
                              const std::vector<const Delta*>& deltas);

/// About how many bytes a delta adds to a statement; cheap.
std::size_t delta_bytes(const Delta& delta);

}  // namespace ba::storage
