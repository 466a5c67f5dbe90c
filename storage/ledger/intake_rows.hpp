#pragma once
// SPDX-License-Identifier: Apache-2.0
// What intake writes: jobs, dead letters with their outbox records, offsets. Used inside a fenced
// transaction; writing the same batch again changes nothing.

#include "pipeline/port/ledger_records.hpp"
#include "storage/postgres/session.hpp"

namespace ba {

/// InvalidArgument when an identifier holds a NUL character, which contract/ refuses before.
Result<void> write_intake(Transaction& transaction, const IntakeBatch& batch);

}  // namespace ba
