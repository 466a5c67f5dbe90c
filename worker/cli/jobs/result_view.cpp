// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/result_view.hpp"

#include <ostream>

#include "pipeline/text/contract/encode_metrics.hpp"
#include "pipeline/text/contract/encode_result.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/cli/program/wording.hpp"

namespace ba::cli {
namespace {

std::string unreported(const storage::ConversationSums& sums, const std::string& before = "") {
  if (sums.unreported_jobs == 0) return "";
  return before + counted(sums.unreported_jobs, "job") + " ended with the job that asked for it";
}

}  // namespace

void show_result(const JobResult& result, const std::vector<std::string>& questions,
                 Terminal& terminal) {
  terminal.live("");
  const bool several = questions.size() > 1 || result.answers.size() > 1;
  for (const Answer& answer : result.answers) {
    const auto round = static_cast<std::size_t>(answer.round);
    if (several) {
      const std::string question = round < questions.size() ? questions[round] : "";
      terminal.out() << terminal.styled(Style::Bold, "[" + std::to_string(round + 1) + "] " +
                                                         printable(shortened(question, 100)))
                     << "\n";
    }
    terminal.out() << printable(answer.text) << "\n";
    if (several) terminal.out() << "\n";
  }
  terminal.out().flush();
  std::string line = result.tenant.value + "/" + result.job_id.value + ": " +
                     std::string(to_string(result.outcome)) + " · " + totals_text(result.totals);
  line += " · " + seconds_text(result.finished_at - result.started_at);
  if (!result.model.empty()) line += " · " + result.model;
  if (result.attempts > 1) line += " · attempt " + std::to_string(result.attempts);
  terminal.message(printable(line));
  if (result.error)
    terminal.message(printable("  " + result.error->code + ": " + result.error->message));
}

std::string result_as_json(const JobResult& result) { return result_to_json(result); }

std::string outcome_text(Outcome outcome, const Terminal& terminal) {
  const Style style = outcome == Outcome::Completed ? Style::Green : Style::Red;
  return terminal.styled(style, to_string(outcome));
}

int show_report(const storage::JobReport& job, const ReportName& named, bool json,
                Terminal& terminal) {
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

int show_report(const storage::ConversationSums& sums, const ReportName& named, bool json,
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

}  // namespace ba::cli
