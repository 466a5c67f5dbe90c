// SPDX-License-Identifier: Apache-2.0
// `ba-agent report`: the metrics report of a job as it was published, or of all jobs of a
// conversation.
#include <ostream>
#include <variant>

#include "pipeline/contract/encode_metrics.hpp"
#include "storage/control.hpp"
#include "storage/reports.hpp"
#include "worker/cli/commands.hpp"
#include "worker/cli/found_by_name.hpp"
#include "worker/cli/needs.hpp"
#include "worker/cli/wording.hpp"

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
  const std::string tenant = arguments.tenant.empty() ? kDefaultTenant : arguments.tenant;
  const std::string where = job_elsewhere(access, {TenantId(tenant), JobId(arguments.name)});
  Error error;
  error.code = ErrorCode::NotFound;
  error.message =
      "there is no " + std::string(arguments.conversation ? "conversation \"" : "job \"") +
      arguments.name + "\" of tenant \"" + tenant + "\" in the ledger" +
      (arguments.conversation ? "; " : ", and no conversation of that id; ") +
      (where.empty() || arguments.conversation ? "`ba-agent job list` names the jobs" : where);
  return error;
}

int print(const JobReport& job, const NamedReport& named, bool json, Terminal& terminal) {
  if (job.metrics_json.empty() && job.state == "finished") {
    terminal.failure(printable("job \"" + named.name + "\" of tenant \"" + named.tenant +
                               "\" ended with the job that asked for it, and has no report"));
    return kExitFailed;
  }
  if (job.metrics_json.empty()) {
    terminal.failure(printable("job \"" + named.name + "\" of tenant \"" + named.tenant +
                               "\" hasn't ended (" + job.state +
                               "): its report is made then; `ba-agent show` tells how far it is"));
    return kExitFailed;
  }
  if (json)
    terminal.out() << job.metrics_json << '\n';
  else
    terminal.out() << printable(job.text);
  if (job.names_conversation)
    terminal.message("note: a conversation has the id " + printable(named.name) +
                     ", too: --conversation reports all its jobs");
  return kExitOk;
}

int print(const ConversationSums& sums, const NamedReport& named, bool json, Terminal& terminal) {
  if (sums.jobs == 0) {
    terminal.failure(printable("no job of conversation \"" + named.name + "\" of tenant \"" +
                               named.tenant + "\" has ended and is still in the ledger (" +
                               counted(sums.unfinished_jobs, "job") + " not ended, " +
                               counted(sums.removed_jobs, "job") + " removed by retention)"));
    return kExitFailed;
  }
  if (json)
    terminal.out() << conversation_metrics_json(TenantId(named.tenant), sums.report) << '\n';
  else
    terminal.out() << printable(to_text(sums.report));
  terminal.message("note: of " + counted(sums.jobs, "job"));
  if (sums.unfinished_jobs > 0)
    terminal.message("note: " + counted(sums.unfinished_jobs, "job") +
                     " of the conversation not ended: not in it");
  if (sums.removed_jobs > 0)
    terminal.message("note: " + counted(sums.removed_jobs, "job") +
                     " of the conversation removed by retention: not in it");
  return kExitOk;
}

}  // namespace

int report_command(const ReportArguments& arguments, const Session& session) {
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
      [&](const auto& report) { return print(report, **named, arguments.json, terminal); },
      (*named)->thing);
}

}  // namespace ba
