// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/pg_outbox.hpp"

#include "storage/ledger/answer_from.hpp"
#include "storage/ledger/fence.hpp"
#include "storage/ledger/outbox_batch.hpp"

namespace ba::storage {
namespace {

constexpr Statement kCreateShards{"create_shards", R"sql(
  INSERT INTO outbox_shards (shard) SELECT generate_series(0, $1::integer - 1)
  ON CONFLICT DO NOTHING)sql"};

constexpr Statement kPendingShards{"pending_shards", R"sql(
  SELECT s.shard FROM outbox_shards s
  WHERE s.incarnation = $1
    AND EXISTS (SELECT 1 FROM outbox o WHERE o.shard = s.shard AND o.published_at IS NULL
                OFFSET 0)  -- a shard at a time: a join may read all that is pending
  ORDER BY s.shard)sql"};

// Workers share out one after the other; batches go on meanwhile.
constexpr Statement kLockSharing{"lock_sharing", R"sql(
  SELECT pg_advisory_xact_lock(hashtext('ba outbox shards ' || current_schema())))sql"};

constexpr Statement kCountShares{"count_shares", R"sql(
  SELECT (SELECT count(*) FROM outbox_shards) AS shards,
         (SELECT count(*) FROM incarnations
          WHERE state = 'alive' AND lease_until > clock_timestamp()) AS living,
         (SELECT count(*) FROM outbox_shards WHERE incarnation = $1) AS own)sql"};

constexpr Statement kGiveBack{"give_back_shards", R"sql(
  UPDATE outbox_shards SET incarnation = NULL
  WHERE incarnation = $1 AND in_flight = '{}'
    AND shard IN (SELECT shard FROM outbox_shards
                  WHERE incarnation = $1 AND in_flight = '{}'
                  ORDER BY shard DESC LIMIT $2::integer))sql"};

constexpr Statement kTake{"take_shards", R"sql(
  UPDATE outbox_shards SET incarnation = $1
  WHERE incarnation IS NULL AND stopped_reason IS NULL
    AND shard IN (SELECT shard FROM outbox_shards
                  WHERE incarnation IS NULL AND stopped_reason IS NULL
                  ORDER BY shard LIMIT $2::integer))sql"};

constexpr Statement kOwnShards{"own_shards", R"sql(
  SELECT shard, assigned_batch, published_batch FROM outbox_shards
  WHERE incarnation = $1 ORDER BY shard)sql"};

constexpr Statement kStop{"stop_shard", R"sql(
  UPDATE outbox_shards SET incarnation = NULL, stopped_reason = $3, stopped_at = now()
  WHERE shard = $2 AND incarnation = $1 AND assigned_batch = $4)sql"};

constexpr Statement kIsStopped{"is_stopped", R"sql(
  SELECT 1 FROM outbox_shards WHERE shard = $1 AND stopped_reason IS NOT NULL)sql"};

/// Takes and gives back shards up to the fair share; answers with what the incarnation then owns.
Result<std::vector<ShardState>> share_shards(Transaction& transaction, IncarnationId self) {
  transaction.send(kLockSharing);
  if (auto alive = fence(transaction, self); !alive) return alive.error();
  const Row counts = transaction.run(kCountShares, self.value).first();
  const auto shards = counts.big("shards");
  const auto living = std::max<std::int64_t>(1, counts.big("living"));
  const auto own = counts.big("own");
  const std::int64_t share = (shards + living - 1) / living;
  if (own > share) transaction.send(kGiveBack, self.value, own - share);
  if (own < share) transaction.send(kTake, self.value, share - own);
  std::vector<ShardState> states;
  for (const Row& row : transaction.run(kOwnShards, self.value))
    states.push_back({row.number("shard"), row.big("assigned_batch"), row.big("published_batch")});
  return states;
}

/// Stops a shard and takes it from its owner. Conflict when it isn't the incarnation's.
Result<void> stop_owned_shard(Transaction& transaction, IncarnationId self, const ShardState& known,
                              const std::string& reason) {
  if (auto alive = fence(transaction, self); !alive) return alive;
  const auto stopped =
      transaction.run(kStop, self.value, known.shard, reason, known.assigned_batch);
  if (stopped.affected() > 0) return {};
  if (!transaction.run(kIsStopped, known.shard).empty()) return {};
  return shard_conflict(known.shard, "is not owned by incarnation " + std::to_string(self.value) +
                                         " with batch " + std::to_string(known.assigned_batch) +
                                         " assigned last");
}

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

}  // namespace ba::storage
