// SPDX-License-Identifier: Apache-2.0
// `ba-agent report`: the metrics report of a job as it was published, or of all jobs of a
// conversation.
#include <variant>

#include "storage/control.hpp"
#include "storage/reports.hpp"
#include "worker/cli/jobs/named_job.hpp"
#include "worker/cli/jobs/result_view.hpp"
#include "worker/cli/program/command_options.hpp"

namespace ba::cli {
namespace {

struct ReportArguments {
  std::string name;           ///< of a job, or of a conversation
  std::string tenant;         ///< empty: "default", or the TENANT of TENANT/NAME
  bool conversation = false;  ///< the name is a conversation's
  bool json = false;
};

void declare(CLI::App& app, ReportArguments& arguments) {
  app.add_option("name", arguments.name, "The id of a job or of a conversation, or TENANT/ID")
      ->required()
      ->check(not_empty());
  tenant_of_id(app, arguments.tenant);
  app.add_flag("--conversation", arguments.conversation,
               "The id is a conversation's, even if a job has it, too");
  json_flag(app, arguments.json, JsonForm::Document);
}

using AnyReport = std::variant<storage::JobReport, storage::ConversationSums>;
using NamedReport = NamedThing<AnyReport>;

/// A job before a conversation of that id.
Result<std::optional<AnyReport>> find(const storage::PgAccess& access, const std::string& tenant,
                                      const std::string& name, bool conversation) {
  using Found = std::optional<AnyReport>;
  if (!conversation) {
    const auto job = storage::find_job_report(access, TenantId(tenant), JobId(name));
    if (!job) return job.error();
    if (*job) return Found(**job);
  }
  const auto sums =
      storage::find_conversation_report(access, TenantId(tenant), ConversationId(name));
  if (!sums) return sums.error();
  return *sums ? Found(**sums) : Found();
}

Error not_there(const storage::PgAccess& access, const ReportArguments& arguments) {
  const auto [tenant, name] = meant_by(arguments.name, arguments.tenant);
  const std::string where = storage::job_elsewhere(access, {TenantId(tenant), JobId(name)});
  return make_error(
      ErrorCode::NotFound,
      "there is no " + std::string(arguments.conversation ? "conversation \"" : "job \"") + name +
          "\" of tenant \"" + tenant + "\" in the ledger" +
          (arguments.conversation ? "; " : ", and no conversation of that id; ") +
          (where.empty() || arguments.conversation ? "`ba-agent job list` names the jobs" : where));
}

int report(const ReportArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto named = found_by_name<AnyReport>(
      arguments.name, arguments.tenant, [&](const std::string& tenant, const std::string& name) {
        return find(*session.database, tenant, name, arguments.conversation);
      });
  if (!named) return terminal.fail(named.error());
  if (!*named) return terminal.fail(not_there(*session.database, arguments));
  return std::visit(
      [&](const auto& report) {
        return show_report(report, {(*named)->tenant, (*named)->name}, arguments.json, terminal);
      },
      (*named)->thing);
}

}  // namespace

Command report_command() {
  return command<ReportArguments>(
      {.name = "report",
       .summary = "Print the metrics report of a job, or of all jobs of a conversation",
       .examples = "  ba-agent report job-42\n  ba-agent report acme/weekly-report --json\n"
                   "  ba-agent report --conversation acme/weekly-report",
       .needs = kNeedsLedger},
      declare, report);
}

}  // namespace ba::cli
