// SPDX-License-Identifier: Apache-2.0
#include "storage/outbox_audit.hpp"

#include "storage/postgres/session.hpp"
#include "storage/query/row_values.hpp"

namespace ba {
namespace {

constexpr Statement kStopped{"stopped_shards", R"sql(
  SELECT shard, assigned_batch, published_batch, published_at, stopped_reason FROM outbox_shards
  WHERE stopped_reason IS NOT NULL ORDER BY shard)sql"};

constexpr Statement kCount{"count_shards", "SELECT count(*) FROM outbox_shards"};

constexpr Statement kEntries{"outbox_entries", R"sql(
  SELECT result_id, shard, published_at IS NOT NULL FROM outbox
  WHERE shard = ANY ($1::integer[])
    AND (published_at IS NULL OR $2::bigint IS NULL
         OR published_at >= to_timestamp($2::bigint / 1e6)))sql"};

constexpr Statement kFind{"find_outbox_entries", R"sql(
  SELECT result_id, shard, published_at IS NOT NULL FROM outbox
  WHERE result_id = ANY ($1::text[]))sql"};

OutboxEntries read_entries(const pqxx::result& rows) {
  OutboxEntries entries;
  for (const auto& row : rows)
    entries[ResultId(row[0].c_str())] = {row[1].as<int>(), row[2].as<bool>()};
  return entries;
}

}  // namespace

Result<std::vector<StoppedShardState>> stopped_shards(const PgAccess& access) {
  using Shards = std::vector<StoppedShardState>;
  return read_once(access, [](Transaction& transaction) -> Result<Shards> {
    Shards shards;
    for (const auto& row : transaction.run(kStopped)) {
      RowValues values(row);
      StoppedShardState shard;
      shard.shard = values.number();
      shard.assigned_batch = values.big();
      shard.published_batch = values.big();
      shard.agreed_at = values.optional_time();
      shard.reason = values.text();
      shards.push_back(std::move(shard));
    }
    return shards;
  });
}

Result<int> count_shards(const PgAccess& access) {
  return read_once(access, [](Transaction& transaction) -> Result<int> {
    return transaction.run(kCount)[0][0].as<int>();
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

}  // namespace ba
