// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/report_view.hpp"

#include <ostream>

#include "pipeline/text/contract/encode_metrics.hpp"
#include "worker/cli/program/exit_code.hpp"
#include "worker/cli/program/wording.hpp"

namespace ba {
namespace {

std::string unreported(const ConversationSums& sums, const std::string& before = "") {
  if (sums.unreported_jobs == 0) return "";
  return before + counted(sums.unreported_jobs, "job") + " ended with the job that asked for it";
}

}  // namespace

int show_report(const JobReport& job, const ReportName& named, bool json, Terminal& terminal) {
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

int show_report(const ConversationSums& sums, const ReportName& named, bool json,
                Terminal& terminal) {
  if (sums.jobs == 0) {
    terminal.failure(printable("no job of conversation \"" + named.name + "\" of tenant \"" +
                               named.tenant + "\" has ended and is still in the ledger (" +
                               counted(sums.unfinished_jobs, "job") + " not ended, " +
                               counted(sums.removed_jobs, "job") + " removed by retention" +
                               unreported(sums, ", ") + ")"));
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
  if (sums.unreported_jobs > 0) terminal.message("note: " + unreported(sums) + ": not in it");
  return kExitOk;
}

}  // namespace ba
