// SPDX-License-Identifier: Apache-2.0
#include "storage/migrate.hpp"

#include "storage/postgres/rights.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {
namespace {

constexpr Statement kLock{"lock", "SELECT pg_advisory_xact_lock(hashtext('ba migrations ' || $1))"};
constexpr Statement kTableExists{
    "table_exists",
    "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2) AS there"};
constexpr Statement kSchemaExists{"schema_exists",
                                  "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)"
                                  " AS there"};
constexpr Statement kHistory{
    "history",
    "SELECT version, name, checksum, to_char(applied_at, 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
    " AS applied FROM schema_history ORDER BY version"};
constexpr Statement kRecord{
    "record",
    "INSERT INTO schema_history (version, name, checksum, duration_ms) VALUES ($1, $2, $3,"
    " extract(epoch FROM clock_timestamp() - now()) * 1000) RETURNING duration_ms"};

constexpr Statement kHasLz4{"has_lz4",
                            "SELECT 'lz4' = ANY (enumvals) AS has_lz4 FROM pg_settings"
                            " WHERE name = 'default_toast_compression'"};

constexpr const char* kCreateHistory =
    "CREATE TABLE IF NOT EXISTS schema_history ("
    " version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,"
    " applied_at timestamptz NOT NULL DEFAULT now(), duration_ms bigint NOT NULL)";

struct HistoryRow {
  int version = 0;
  std::string name;
  std::string checksum;
  std::string applied_at;
};

std::vector<HistoryRow> read_history(Transaction& transaction, const std::string& schema) {
  std::vector<HistoryRow> history;
  if (!transaction.run(kTableExists, schema, "schema_history").first().flag("there"))
    return history;
  for (const Row& row : transaction.run(kHistory))
    history.push_back(
        {row.number("version"), row.text("name"), row.text("checksum"), row.text("applied")});
  return history;
}

/// Why the history does not fit this program; empty when it does.
std::string history_problem(const std::vector<HistoryRow>& history) {
  const auto& migrations = builtin_migrations();
  if (history.size() > migrations.size())
    return "the schema has version " + std::to_string(history.back().version) +
           ", newer than this program's " + std::to_string(migrations.size()) +
           ": use a newer ba-agent";
  for (std::size_t i = 0; i < history.size(); ++i)
    if (history[i].version != migrations[i].version ||
        history[i].checksum != migrations[i].checksum)
      return "migration " + std::to_string(history[i].version) + " (" + history[i].name +
             ") was applied from another file than this program's: checksum " +
             history[i].checksum.substr(0, 12) + ", expected " +
             std::string(migrations[i].checksum.substr(0, 12));
  return {};
}

Error conflict(std::string message) { return make_error(ErrorCode::Conflict, std::move(message)); }

/// What a server runs that was built without lz4: it compresses in its own way then. The checksum
/// is that of the file, so the history is the same on either.
std::string sql_for_server(Transaction& transaction, std::string_view sql) {
  constexpr std::string_view kClause = " COMPRESSION lz4";
  std::string text(sql);
  if (transaction.run(kHasLz4).first().flag("has_lz4")) return text;
  for (auto at = text.find(kClause); at != std::string::npos; at = text.find(kClause, at))
    text.erase(at, kClause.size());
  return text;
}

/// Applies the next migration, if there is one; false when the schema is complete.
Result<bool> apply_next(Transaction& transaction, const std::string& schema,
                        MigrationReport& report) {
  transaction.run(kLock, schema);
  const auto history = read_history(transaction, schema);
  if (const std::string problem = history_problem(history); !problem.empty())
    return conflict(problem);
  report.version_after = static_cast<int>(history.size());  // others may migrate as well
  if (history.size() == builtin_migrations().size()) return false;
  const Migration& next = builtin_migrations()[history.size()];
  // Not IF NOT EXISTS: that asks for the right to create schemas even where it exists.
  if (!transaction.run(kSchemaExists, schema).first().flag("there"))
    transaction.execute("CREATE SCHEMA " + transaction.quote_name(schema));
  transaction.execute(kCreateHistory);
  transaction.execute(sql_for_server(transaction, next.sql));
  const auto recorded =
      transaction.run(kRecord, next.version, std::string(next.name), std::string(next.checksum));
  report.applied.push_back(
      {next.version, std::string(next.name), recorded.first().milliseconds("duration_ms")});
  return true;
}

Result<void> may_migrate(Session& session, const std::string& schema) {
  return session.run([&](Transaction& transaction) -> Result<void> {
    if (auto hindrance = read_only_hindrance(transaction)) return to_error(*hindrance);
    if (auto hindrance = migration_hindrance(transaction, schema)) return to_error(*hindrance);
    return {};
  });
}

MigrationReport plan(int version_before) {
  MigrationReport report;
  report.version_before = report.version_after = version_before;
  for (const Migration& migration : builtin_migrations())
    if (migration.version > version_before)
      report.applied.push_back({migration.version, std::string(migration.name), Milliseconds(0)});
  return report;
}

}  // namespace

Result<SchemaStatus> schema_status(const PgAccess& access) {
  return read_once(access, [&](Transaction& transaction) -> Result<SchemaStatus> {
    if (auto hindrance = history_hindrance(transaction, access.schema)) return to_error(*hindrance);
    const auto history = read_history(transaction, access.schema);
    SchemaStatus status;
    status.expected = static_cast<int>(builtin_migrations().size());
    status.problem = history_problem(history);
    if (history.empty()) return status;
    status.version = history.back().version;
    status.last_migration = history.back().name;
    status.last_applied_at = history.back().applied_at;
    return status;
  });
}

Result<void> require_schema(const PgAccess& access) {
  const auto status = schema_status(access);
  if (!status) return status.error();
  if (status->usable()) return {};
  if (!status->problem.empty()) return conflict(status->problem);
  return conflict("the schema \"" + access.schema + "\" has version " +
                  std::to_string(status->version) + ", this program needs " +
                  std::to_string(status->expected) + ": run `ba-agent migrate`");
}

Result<MigrationReport> migrate(const PgAccess& access, bool dry_run) {
  const auto status = schema_status(access);
  if (!status) return status.error();
  if (!status->problem.empty()) return conflict(status->problem);
  if (dry_run) return plan(status->version);
  PgAccess patient = access;
  patient.statement_timeout = Milliseconds(0);  // a migration may take its time
  const Stop stop;
  Session session({.access = patient}, stop);
  MigrationReport report;
  report.version_before = report.version_after = status->version;
  if (status->version < status->expected)
    if (auto allowed = may_migrate(session, access.schema); !allowed) return allowed.error();
  for (;;) {
    const auto applied = session.run(
        [&](Transaction& transaction) { return apply_next(transaction, access.schema, report); });
    if (!applied) return applied.error();
    if (!*applied) return report;
  }
}

}  // namespace ba::storage
