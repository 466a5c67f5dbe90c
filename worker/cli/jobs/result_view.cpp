// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/result_view.hpp"

#include <ostream>

#include "pipeline/text/contract/encode_result.hpp"
#include "worker/cli/program/wording.hpp"

namespace ba {

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

}  // namespace ba
