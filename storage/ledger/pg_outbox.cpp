// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/pg_outbox.hpp"

#include "storage/ledger/answer_from.hpp"
#include "storage/ledger/outbox_batch.hpp"
#include "storage/ledger/shard_share.hpp"

namespace ba {
namespace {

constexpr Statement kCreateShards{"create_shards", R"sql(
  INSERT INTO outbox_shards (shard) SELECT generate_series(0, $1::integer - 1)
  ON CONFLICT DO NOTHING)sql"};

constexpr Statement kPendingShards{"pending_shards", R"sql(
  SELECT s.shard FROM outbox_shards s
  WHERE s.incarnation = $1
    AND EXISTS (SELECT 1 FROM outbox o WHERE o.shard = s.shard AND o.published_at IS NULL)
  ORDER BY s.shard)sql"};

}  // namespace

void PgOutbox::own_shards(IncarnationId self, Completion<std::vector<ShardState>> done) {
  answer_from(publishers_, executor_, std::move(done),
              [self](Transaction& tx) { return share_shards(tx, self); });
}

void PgOutbox::pending_shards(IncarnationId self, Completion<std::vector<int>> done) {
  answer_from(publishers_, executor_, std::move(done),
              [self](Transaction& tx) -> Result<std::vector<int>> {
                std::vector<int> shards;
                for (const Row& row : tx.run(kPendingShards, self.value))
                  shards.push_back(row.number("shard"));
                return shards;
              });
}

void PgOutbox::next_batch(IncarnationId self, BatchRequest request, Completion<OutboxBatch> done) {
  answer_from(publishers_, executor_, std::move(done),
              [self, request = std::move(request)](Transaction& tx) {
                return advance_shard(tx, self, request);
              });
}

void PgOutbox::withdraw_batch(IncarnationId self, int shard, std::int64_t version,
                              Completion<void> done) {
  answer_from(publishers_, executor_, std::move(done), [self, shard, version](Transaction& tx) {
    return withdraw_in_flight(tx, self, shard, version);
  });
}

void PgOutbox::replace_record(IncarnationId self, int shard, RecordReplacement replacement,
                              Completion<void> done) {
  answer_from(publishers_, executor_, std::move(done),
              [self, shard, replacement = std::move(replacement)](Transaction& tx) {
                return replace_in_flight(tx, self, shard, replacement);
              });
}

void PgOutbox::stop_shard(IncarnationId self, ShardState known, std::string reason,
                          Completion<void> done) {
  answer_from(publishers_, executor_, std::move(done),
              [self, known, reason = std::move(reason)](Transaction& tx) {
                return stop_owned_shard(tx, self, known, reason);
              });
}

void create_shards(Transaction& transaction, int shards) { transaction.run(kCreateShards, shards); }

}  // namespace ba
