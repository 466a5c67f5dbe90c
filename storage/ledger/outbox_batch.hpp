#pragma once
// SPDX-License-Identifier: Apache-2.0
// The batches of one outbox shard (docs/internals/publishing.md): at most one is in flight. Used as
// one transaction.

#include "pipeline/core/ledger/outbox_records.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

/// Outbox::next_batch. Writes nothing, and locks nothing, when there is nothing to do.
Result<OutboxBatch> advance_shard(Transaction& transaction, IncarnationId self,
                                  const BatchRequest& request);

/// Outbox::withdraw_batch.
Result<void> withdraw_in_flight(Transaction& transaction, IncarnationId self, int shard,
                                std::int64_t version);

/// Outbox::replace_record.
Result<void> replace_in_flight(Transaction& transaction, IncarnationId self, int shard,
                               const RecordReplacement& replacement);

Error shard_conflict(int shard, const std::string& why);

}  // namespace ba::storage
