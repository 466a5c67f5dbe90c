#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reading what a job is resumed from. Its owner waits for the answer and writes nothing meanwhile,
// so the statements see one state.

#include "pipeline/core/ledger/intake_records.hpp"
#include "pipeline/core/ledger/stored_job.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

/// Corrupt when a stored message can't be read; NotFound when there is no such job.
Result<StoredJob> load_job(Transaction& transaction, LedgerJobId job,
                           LedgerConversationId conversation);

/// Corrupt when a state can't be read; NotFound when there is no such job.
Result<JobRemains> load_remains(Transaction& transaction, LedgerJobId job,
                                LedgerConversationId conversation, std::int64_t excerpt_bytes_max);

/// The given partitions with the ledger's offset, or -1.
std::vector<PartitionOffset> load_offsets(Transaction& transaction,
                                          std::vector<PartitionOffset> partitions);

}  // namespace ba::storage
