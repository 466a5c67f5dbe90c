// SPDX-License-Identifier: Apache-2.0
// What doctor shows, and the dead letters.
#include "storage/postgres/session.hpp"
#include "storage/query.hpp"

namespace ba::storage {
namespace {

constexpr Statement kHealth{"health", R"sql(
  SELECT current_setting('server_version') AS server_version, current_user AS role,
         coalesce((SELECT rolsuper FROM pg_roles WHERE rolname = current_user), false) AS superuser,
         coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS encrypted,
         clock_timestamp() AS server_time,
         (SELECT count(*) FROM incarnations
          WHERE state = 'alive' AND lease_until > clock_timestamp()) AS live_incarnations,
         (SELECT count(*) FROM jobs WHERE state = 'ready') AS jobs_ready,
         (SELECT count(*) FROM jobs WHERE state = 'running') AS jobs_running,
         (SELECT count(*) FROM outbox WHERE published_at IS NULL) AS outbox_pending,
         (SELECT min(created_at) FROM outbox WHERE published_at IS NULL) AS oldest_pending,
         (SELECT count(*) FROM outbox_shards) AS shards,
         (SELECT count(*) FROM dead_letters) AS dead_letters)sql"};

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

DeadLetterView read_dead_letter(const Row& row) {
  DeadLetterView letter;
  letter.topic = row.text("source_topic");
  letter.partition = row.number("source_partition");
  letter.offset = row.big("source_offset");
  letter.reason = row.text("reason");
  letter.field = row.text("field");
  letter.message = row.text("message");
  letter.value = row.bytes("record_value");
  letter.created_at = row.time("created_at");
  return letter;
}

StorageHealth read_health(Transaction& transaction) {
  const Row row = transaction.run(kHealth).first();
  StorageHealth health;
  health.server_version = row.text("server_version");
  health.role = row.text("role");
  health.superuser = row.flag("superuser");
  health.encrypted = row.flag("encrypted");
  health.server_time = row.time("server_time");
  health.live_incarnations = row.number("live_incarnations");
  health.jobs_ready = row.big("jobs_ready");
  health.jobs_running = row.big("jobs_running");
  health.outbox_pending = row.big("outbox_pending");
  health.oldest_pending = row.optional_time("oldest_pending");
  health.shards = row.number("shards");
  health.dead_letters = row.big("dead_letters");
  for (const Row& stopped : transaction.run(kStopped))
    health.stopped_shards.push_back({stopped.number("shard"), stopped.text("stopped_reason")});
  return health;
}

}  // namespace

Result<std::vector<DeadLetterView>> list_dead_letters(const PgAccess& access, int rows_max) {
  using Letters = std::vector<DeadLetterView>;
  return read_once(access, [&](Transaction& transaction) -> Result<Letters> {
    return read_all(transaction.run(kDeadLetters, rows_max), read_dead_letter);
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

}  // namespace ba::storage
