// SPDX-License-Identifier: Apache-2.0
#include "storage/outbox_audit.hpp"

#include "storage/postgres/session.hpp"

namespace ba::storage {
namespace {

constexpr Statement kStopped{"stopped_shards", R"sql(
  SELECT shard, assigned_batch, published_batch, published_at, stopped_reason FROM outbox_shards
  WHERE stopped_reason IS NOT NULL ORDER BY shard)sql"};

constexpr Statement kCount{"count_shards", "SELECT count(*) AS shards FROM outbox_shards"};

constexpr Statement kEntries{"outbox_entries", R"sql(
  SELECT result_id, shard, published_at IS NOT NULL AS published FROM outbox
  WHERE shard = ANY ($1::integer[])
    AND (published_at IS NULL OR $2::bigint IS NULL
         OR published_at >= to_timestamp($2::bigint / 1e6)))sql"};

constexpr Statement kFind{"find_outbox_entries", R"sql(
  SELECT result_id, shard, published_at IS NOT NULL AS published FROM outbox
  WHERE result_id = ANY ($1::text[]))sql"};

OutboxEntries read_entries(const Rows& rows) {
  OutboxEntries entries;
  for (const Row& row : rows)
    entries[ResultId(row.text("result_id"))] = {row.number("shard"), row.flag("published")};
  return entries;
}

StoppedShardState read_stopped(const Row& row) {
  StoppedShardState shard;
  shard.shard = row.number("shard");
  shard.assigned_batch = row.big("assigned_batch");
  shard.published_batch = row.big("published_batch");
  shard.agreed_at = row.optional_time("published_at");
  shard.reason = row.text("stopped_reason");
  return shard;
}

}  // namespace

Result<std::vector<StoppedShardState>> stopped_shards(const PgAccess& access) {
  using Shards = std::vector<StoppedShardState>;
  return read_once(access, [](Transaction& transaction) -> Result<Shards> {
    return read_all(transaction.run(kStopped), read_stopped);
  });
}

Result<int> count_shards(const PgAccess& access) {
  return read_once(access, [](Transaction& transaction) -> Result<int> {
    return transaction.run(kCount).first().number("shards");
  });
}

Result<OutboxEntries> outbox_entries(const PgAccess& access, const std::vector<int>& shards,
                                     const std::optional<WallTime>& since) {
  IntegerArray numbers;
  for (const int shard : shards) numbers.add(shard);
  std::optional<std::int64_t> from;
  if (since) from = since->time_since_epoch().count();
  return read_once(access, [&](Transaction& transaction) -> Result<OutboxEntries> {
    return read_entries(transaction.run(kEntries, numbers, from));
  });
}

Result<OutboxEntries> find_outbox_entries(const PgAccess& access,
                                          const std::vector<ResultId>& ids) {
  TextArray texts;
  for (const ResultId& id : ids) texts.add(id.value);
  return read_once(access, [&](Transaction& transaction) -> Result<OutboxEntries> {
    return read_entries(transaction.run(kFind, texts));
  });
}

}  // namespace ba::storage
