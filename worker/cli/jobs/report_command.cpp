// SPDX-License-Identifier: Apache-2.0
// `ba-agent report`: the metrics report of a job as it was published, or of all jobs of a
// conversation.
#include <variant>

#include "storage/control.hpp"
#include "storage/reports.hpp"
#include "worker/cli/jobs/found_by_name.hpp"
#include "worker/cli/jobs/report_view.hpp"
#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/needs.hpp"

namespace ba {
namespace {

using AnyReport = std::variant<JobReport, ConversationSums>;
using NamedReport = NamedThing<AnyReport>;

/// A job before a conversation of that id.
Result<std::optional<AnyReport>> find(const PgAccess& access, const std::string& tenant,
                                      const std::string& name, bool conversation) {
  using Found = std::optional<AnyReport>;
  if (!conversation) {
    const auto job = find_job_report(access, TenantId(tenant), JobId(name));
    if (!job) return job.error();
    if (*job) return Found(**job);
  }
  const auto sums = find_conversation_report(access, TenantId(tenant), ConversationId(name));
  if (!sums) return sums.error();
  return *sums ? Found(**sums) : Found();
}

Error not_there(const PgAccess& access, const ReportArguments& arguments) {
  const auto [tenant, name] = meant_by(arguments.name, arguments.tenant);
  const std::string where = job_elsewhere(access, {TenantId(tenant), JobId(name)});
  Error error;
  error.code = ErrorCode::NotFound;
  error.message =
      "there is no " + std::string(arguments.conversation ? "conversation \"" : "job \"") + name +
      "\" of tenant \"" + tenant + "\" in the ledger" +
      (arguments.conversation ? "; " : ", and no conversation of that id; ") +
      (where.empty() || arguments.conversation ? "`ba-agent job list` names the jobs" : where);
  return error;
}

}  // namespace

int report_command(const ReportArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto access = ledger_of(session.config());
  if (!access) return terminal.fail(access.error());
  const auto named = found_by_name<AnyReport>(
      arguments.name, arguments.tenant, [&](const std::string& tenant, const std::string& name) {
        return find(*access, tenant, name, arguments.conversation);
      });
  if (!named) return terminal.fail(named.error());
  if (!*named) return terminal.fail(not_there(*access, arguments));
  return std::visit(
      [&](const auto& report) {
        return show_report(report, {(*named)->tenant, (*named)->name}, arguments.json, terminal);
      },
      (*named)->thing);
}

}  // namespace ba
