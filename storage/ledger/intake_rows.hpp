#pragma once
// SPDX-License-Identifier: Apache-2.0
// What intake writes: jobs, dead letters with their outbox records, offsets. Used inside a fenced
// transaction; writing the same batch again changes nothing.

#include "pipeline/core/ledger/intake_records.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

/// contract/ has refused what PostgreSQL can't store in identifiers before.
void write_intake(Transaction& transaction, const IntakeBatch& batch);

/// Ledger::reset_intake, in a fenced transaction.
Result<PartitionOffset> reset_intake(Transaction& transaction, IncarnationId self,
                                     PartitionOffset partition);

}  // namespace ba::storage
