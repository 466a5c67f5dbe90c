// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "storage/ledger_use.hpp"
#include "storage/libpq/connect_failure.hpp"
#include "storage/migrate.hpp"
#include "storage/query.hpp"
#include "worker/cli/doctor/check.hpp"
#include "worker/cli/program/needs.hpp"
#include "worker/cli/program/wording.hpp"

namespace ba::cli {
namespace {

constexpr Milliseconds kPatience{5'000};

Check check_schema(const storage::SchemaStatus& status) {
  const char* name = "postgres schema";
  const std::string versions =
      "version " + std::to_string(status.version) + " of " + std::to_string(status.expected);
  if (!status.problem.empty())
    return failed(name, versions + ": " + status.problem,
                  "use the program that fits the schema, or restore the schema");
  if (!status.usable()) return failed(name, versions, "`ba-agent migrate`");
  return passed(name, versions);
}

Check check_shards(const storage::StorageHealth& health, int configured) {
  const char* name = "outbox shards";
  if (health.stopped_shards.empty() && health.shards > configured)
    return failed(name,
                  "the ledger has " + std::to_string(health.shards) + ", outbox.shards is " +
                      std::to_string(configured),
                  "set outbox.shards to the ledger's number; it can only be raised");
  if (health.stopped_shards.empty())
    return passed(name, std::to_string(health.shards) + " in the ledger, none is stopped");
  std::string message;
  for (const storage::StoppedShard& shard : health.stopped_shards)
    message += (message.empty() ? "" : "; ") + ("shard " + std::to_string(shard.shard)) +
               " stopped: " + shard.reason;
  return failed(
      name, message,
      "`ba-agent outbox verify` compares the result topics with the outbox, and says what "
      "to do; nothing of these shards is published meanwhile");
}

Check check_work(const storage::StorageHealth& health) {
  const char* name = "ledger";
  const std::string message = counted(health.jobs_ready, "job") + " waiting, " +
                              thousands(health.jobs_running) + " running, " +
                              counted(health.live_incarnations, "live worker") + ", " +
                              thousands(health.outbox_pending) + " results to publish, " +
                              counted(health.dead_letters, "dead letter");
  const bool stuck = health.live_incarnations == 0 && health.jobs_ready + health.outbox_pending > 0;
  if (stuck) return warned(name, message, "no worker is alive: start `ba-agent worker`");
  return passed(name, message);
}

/// One line for each thing that is missing: what, and what mends it.
Checks check_use(const storage::PgAccess& access) {
  const char* name = "postgres use";
  const auto found = storage::ledger_hindrances(access);
  if (!found) return {failed(name, found.error(), postgres_remedy(found.error(), "postgres.url"))};
  Checks checks;
  for (const storage::Hindrance& one : *found)
    checks.push_back(failed(name, one.message, one.remedy));
  if (checks.empty()) checks.push_back(passed(name, "a worker has all rights there that it needs"));
  return checks;
}

/// None where the ledger has sessions of its own, and where the server can't be asked.
std::optional<Check> check_sessions(const storage::PgAccess& access) {
  const auto own = storage::require_own_sessions(access);
  if (own || own.error().code != ErrorCode::Protocol) return std::nullopt;
  return failed("postgres sessions", own.error(),
                "pool_mode = session for this database in PgBouncer, or the server's own address");
}

Check check_role(const storage::StorageHealth& health) {
  const char* name = "postgres role";
  if (health.superuser)
    return warned(name, health.role + " is a superuser: more than the program needs",
                  "give it a role of its own that owns the schema");
  return passed(name, health.role);
}

/// Leases are counted by the database's clock, so a difference does no harm; it confuses people.
Check check_clock(const storage::StorageHealth& health) {
  const char* name = "clock";
  const auto here = std::chrono::time_point_cast<Microseconds>(std::chrono::system_clock::now());
  const auto apart = std::chrono::abs(here - health.server_time);
  const std::string message = "the database's clock is " + seconds_text(apart) + " from this one";
  if (apart > std::chrono::seconds(2)) return warned(name, message, "run NTP on both machines");
  return passed(name, message);
}

}  // namespace

Checks check_postgres(const config::Config& config) {
  const char* name = "postgres";
  auto access = postgres_of(config);
  if (!access) return {failed(name, access.error(), "set BA_POSTGRES_URL")};
  access->connect_timeout = kPatience;
  access->statement_timeout = kPatience;
  if (auto shared = check_sessions(*access)) return {*std::move(shared)};
  const auto status = storage::schema_status(*access);
  if (!status)
    return {failed(name, status.error(), postgres_remedy(status.error(), "postgres.url"))};
  Checks checks;
  const Check schema = check_schema(*status);
  if (schema.status != CheckStatus::Pass) return {passed(name, "reachable"), schema};
  Checks use = check_use(*access);
  if (use.front().status != CheckStatus::Pass) {
    use.insert(use.begin(), {passed(name, "reachable"), schema});
    return use;
  }
  const auto health = storage::storage_health(*access);
  if (!health)
    return {schema, failed(name, health.error(), postgres_remedy(health.error(), "postgres.url"))};
  return {passed(name, "server " + health->server_version + ", " +
                           storage::protection_words(health->encrypted, access->url)),
          schema,
          use.front(),
          check_role(*health),
          check_clock(*health),
          check_shards(*health, config.outbox.shards),
          check_work(*health)};
}

std::string postgres_remedy(const Error& error, const std::string& setting) {
  if (error.detail == storage::kTlsDetail)
    return "mend what the message names; sslmode, sslrootcert, sslcert and sslkey stand in " +
           setting;
  switch (error.code) {
    case ErrorCode::Authentication:
      return "correct the role or its password in " + setting +
             ", or let the role in (pg_hba.conf)";
    case ErrorCode::PermissionDenied:
      return "grant the role of " + setting + " what the message names, or give another role";
    case ErrorCode::NotFound:
      return "create what the message names, or correct " + setting;
    case ErrorCode::InvalidArgument:
      return "correct " + setting;
    case ErrorCode::Unavailable:
    case ErrorCode::Timeout:
      return "start the server, or correct " + setting;
    default:
      return "see the server's log, or correct " + setting;
  }
}

}  // namespace ba::cli
