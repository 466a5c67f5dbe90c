// SPDX-License-Identifier: Apache-2.0
#include "storage/migrate.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

#include "worker/cli/program/command_options.hpp"

namespace ba::cli {
namespace {

struct MigrateArguments {
  bool dry_run = false;
  bool status = false;
  bool json = false;
};

void declare(CLI::App& app, MigrateArguments& arguments) {
  auto* dry =
      app.add_flag("--dry-run", arguments.dry_run, "Show the migrations that would be applied");
  app.add_flag("--status", arguments.status, "Only show the schema's version")->excludes(dry);
  json_flag(app, arguments.json, JsonForm::Document);
}

using Json = nlohmann::ordered_json;

int show_status(const storage::PgAccess& access, bool json, Terminal& terminal) {
  const auto status = storage::schema_status(access);
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

void show_report(const storage::MigrationReport& report, const MigrateArguments& arguments,
                 Terminal& terminal) {
  if (arguments.json) {
    Json applied = Json::array();
    for (const storage::AppliedMigration& one : report.applied)
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
  for (const storage::AppliedMigration& one : report.applied)
    terminal.out() << verb << " " << one.version << " " << one.name << "\n";
  terminal.out() << "schema is at version "
                 << (arguments.dry_run ? report.version_before : report.version_after) << "\n";
}

int migrate_schema(const MigrateArguments& arguments, const CliSession& session) {
  if (arguments.status) return show_status(*session.database, arguments.json, session.terminal);
  const auto report = storage::migrate(*session.database, arguments.dry_run);
  if (!report) return session.terminal.fail(report.error());
  show_report(*report, arguments, session.terminal);
  return kExitOk;
}

}  // namespace

Command migrate_command() {
  return command<MigrateArguments>({.name = "migrate",
                                    .summary = "Bring the database schema to this version",
                                    .examples = "  ba-agent migrate --dry-run\n  ba-agent migrate\n"
                                                "  ba-agent migrate --status --json",
                                    .needs = kNeedsDatabase},
                                   declare, migrate_schema);
}

}  // namespace ba::cli
