#pragma once
// SPDX-License-Identifier: Apache-2.0
// The batches of one outbox shard (ARCHITECTURE.md, "Publishing exactly once"): at most one is in
// flight. Used as one transaction.

#include "pipeline/ledger/outbox_records.hpp"
#include "storage/postgres/session.hpp"

namespace ba {

struct ShardAdvance {
  int shard = 0;
  std::int64_t published = 0;  ///< batch that is known to be published; 0: none
  int records_max = 0;
};

/// Outbox::next_batch. Writes nothing, and locks nothing, when there is nothing to do.
Result<OutboxBatch> advance_shard(Transaction& transaction, IncarnationId self,
                                  const ShardAdvance& advance);

/// Outbox::replace_record.
Result<void> replace_in_flight(Transaction& transaction, IncarnationId self, int shard,
                               const RecordReplacement& replacement);

}  // namespace ba
