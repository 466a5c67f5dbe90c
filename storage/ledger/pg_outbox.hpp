#pragma once
// SPDX-License-Identifier: Apache-2.0
// The outbox over PostgreSQL: who publishes which shard, and which rows are in which batch.

#include "pipeline/core/ledger/ledger.hpp"
#include "pipeline/core/port/executor.hpp"
#include "storage/postgres/session_pool.hpp"

namespace ba::storage {

class PgOutbox final : public Outbox {
 public:
  PgOutbox(SessionPool& publishers, Executor& executor)
      : publishers_(publishers), executor_(executor) {}

  void own_shards(IncarnationId self, Completion<std::vector<ShardState>> done) override;
  void pending_shards(IncarnationId self, Completion<std::vector<int>> done) override;
  void next_batch(IncarnationId self, BatchRequest request, Completion<OutboxBatch> done) override;
  void withdraw_batch(IncarnationId self, int shard, std::int64_t version,
                      Completion<void> done) override;
  void replace_record(IncarnationId self, int shard, RecordReplacement replacement,
                      Completion<void> done) override;
  void stop_shard(IncarnationId self, ShardState known, std::string reason,
                  Completion<void> done) override;

 private:
  SessionPool& publishers_;
  Executor& executor_;
};

/// Creates the rows of shards 0 … shards-1 that are missing.
void create_shards(Transaction& transaction, int shards);

}  // namespace ba::storage
