// SPDX-License-Identifier: Apache-2.0
#include "storage/migrate.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/needs.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

int show_status(const PgAccess& access, bool json, Terminal& terminal) {
  const auto status = schema_status(access);
  if (!status) return terminal.fail(status.error());
  if (json) {
    terminal.out() << Json{{"version", status->version},
                           {"expected", status->expected},
                           {"last_migration", status->last_migration},
                           {"last_applied_at", status->last_applied_at},
                           {"problem", status->problem},
                           {"usable", status->usable()}}
                          .dump(2)
                   << "\n";
  } else {
    terminal.out() << "schema version " << status->version << " of " << status->expected;
    if (!status->last_migration.empty())
      terminal.out() << " (" << status->last_migration << ", " << status->last_applied_at << ")";
    terminal.out() << "\n";
    if (!status->problem.empty())
      terminal.failure(status->problem);
    else if (!status->usable())
      terminal.message("run `ba-agent migrate`");
  }
  return status->usable() ? kExitOk : kExitFailed;
}

void show_report(const MigrationReport& report, const MigrateArguments& arguments,
                 Terminal& terminal) {
  if (arguments.json) {
    Json applied = Json::array();
    for (const AppliedMigration& one : report.applied)
      applied.push_back(
          {{"version", one.version}, {"name", one.name}, {"duration_ms", one.duration.count()}});
    terminal.out() << Json{{"dry_run", arguments.dry_run},
                           {"version_before", report.version_before},
                           {"version_after", report.version_after},
                           {"applied", std::move(applied)}}
                          .dump(2)
                   << "\n";
    return;
  }
  const char* verb = arguments.dry_run ? "would apply" : "applied";
  for (const AppliedMigration& one : report.applied)
    terminal.out() << verb << " " << one.version << " " << one.name << "\n";
  terminal.out() << "schema is at version "
                 << (arguments.dry_run ? report.version_before : report.version_after) << "\n";
}

}  // namespace

int migrate_command(const MigrateArguments& arguments, const CliSession& session) {
  const auto access = postgres_of(session.config());
  if (!access) return session.terminal.fail(access.error());
  if (arguments.status) return show_status(*access, arguments.json, session.terminal);
  const auto report = migrate(*access, arguments.dry_run);
  if (!report) return session.terminal.fail(report.error());
  show_report(*report, arguments, session.terminal);
  return kExitOk;
}

}  // namespace ba
