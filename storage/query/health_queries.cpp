// SPDX-License-Identifier: Apache-2.0
// What doctor shows, and the dead letters.
#include "storage/postgres/session.hpp"
#include "storage/query.hpp"
#include "storage/query/row_values.hpp"

namespace ba {
namespace {

constexpr Statement kHealth{"health", R"sql(
  SELECT current_setting('server_version'), current_user,
         (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
         coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),
         clock_timestamp(),
         (SELECT count(*) FROM incarnations
          WHERE state = 'alive' AND lease_until > clock_timestamp()),
         (SELECT count(*) FROM jobs WHERE state = 'ready'),
         (SELECT count(*) FROM jobs WHERE state = 'running'),
         (SELECT count(*) FROM outbox WHERE published_at IS NULL),
         (SELECT min(created_at) FROM outbox WHERE published_at IS NULL),
         (SELECT count(*) FROM outbox_shards),
         (SELECT count(*) FROM dead_letters))sql"};

constexpr Statement kStopped{"stopped", R"sql(
  SELECT shard, stopped_reason FROM outbox_shards
  WHERE stopped_reason IS NOT NULL ORDER BY shard)sql"};

constexpr Statement kDeadLetters{"dead_letters", R"sql(
  SELECT source_topic, source_partition, source_offset, reason, field, message, record_value,
         created_at
  FROM dead_letters ORDER BY id DESC LIMIT $1::integer)sql"};

constexpr Statement kDeadLetter{"dead_letter", R"sql(
  SELECT source_topic, source_partition, source_offset, reason, field, message, record_value,
         created_at
  FROM dead_letters
  WHERE source_topic = $1::text AND source_partition = $2::integer
    AND source_offset = $3::bigint AND source_timestamp_ms = $4::bigint
  ORDER BY id DESC LIMIT 1)sql"};

DeadLetterView read_dead_letter(const pqxx::row& row) {
  RowValues values(row);
  DeadLetterView letter;
  letter.topic = values.text();
  letter.partition = values.number();
  letter.offset = values.big();
  letter.reason = values.text();
  letter.field = values.text();
  letter.message = values.text();
  letter.value = values.bytes();
  letter.created_at = values.time();
  return letter;
}

StorageHealth read_health(Transaction& transaction) {
  const auto rows = transaction.run(kHealth);
  const pqxx::row row = rows[0];
  RowValues values(row);
  StorageHealth health;
  health.server_version = values.text();
  health.role = values.text();
  health.superuser = values.flag();
  health.encrypted = values.flag();
  health.server_time = values.time();
  health.live_incarnations = values.number();
  health.jobs_ready = values.big();
  health.jobs_running = values.big();
  health.outbox_pending = values.big();
  health.oldest_pending = values.optional_time();
  health.shards = values.number();
  health.dead_letters = values.big();
  for (const auto& stopped : transaction.run(kStopped))
    health.stopped_shards.push_back({stopped[0].as<int>(), stopped[1].c_str()});
  return health;
}

}  // namespace

Result<std::vector<DeadLetterView>> list_dead_letters(const PgAccess& access, int rows_max) {
  using Letters = std::vector<DeadLetterView>;
  return read_once(access, [&](Transaction& transaction) -> Result<Letters> {
    Letters letters;
    for (const auto& row : transaction.run(kDeadLetters, rows_max))
      letters.push_back(read_dead_letter(row));
    return letters;
  });
}

Result<std::optional<DeadLetterView>> find_dead_letter(const PgAccess& access,
                                                       const RecordSource& source) {
  using Letter = std::optional<DeadLetterView>;
  return read_once(access, [&](Transaction& transaction) -> Result<Letter> {
    const auto rows = transaction.run(kDeadLetter, source.topic, source.partition, source.offset,
                                      source.timestamp_ms);
    if (rows.empty()) return Letter{};
    return Letter{read_dead_letter(rows[0])};
  });
}

Result<StorageHealth> storage_health(const PgAccess& access) {
  return read_once(access, [&](Transaction& transaction) -> Result<StorageHealth> {
    return read_health(transaction);
  });
}

}  // namespace ba
