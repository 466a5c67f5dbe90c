// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/shard_share.hpp"

#include "storage/ledger/fence.hpp"

namespace ba {
namespace {

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

}  // namespace

Error shard_conflict(int shard, const std::string& why) {
  Error error;
  error.code = ErrorCode::Conflict;
  error.message = "outbox shard " + std::to_string(shard) + " " + why;
  return error;
}

Result<std::vector<ShardState>> share_shards(Transaction& transaction, IncarnationId self) {
  transaction.run(kLockSharing);
  if (auto alive = fence(transaction, self); !alive) return alive.error();
  const Row counts = transaction.run(kCountShares, self.value).first();
  const auto shards = counts.big("shards");
  const auto living = std::max<std::int64_t>(1, counts.big("living"));
  const auto own = counts.big("own");
  const std::int64_t share = (shards + living - 1) / living;
  if (own > share) transaction.run(kGiveBack, self.value, own - share);
  if (own < share) transaction.run(kTake, self.value, share - own);
  std::vector<ShardState> states;
  for (const Row& row : transaction.run(kOwnShards, self.value))
    states.push_back({row.number("shard"), row.big("assigned_batch"), row.big("published_batch")});
  return states;
}

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

}  // namespace ba
