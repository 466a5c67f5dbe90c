// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>
#include <ostream>

#include "pipeline/text/contract/encode_result.hpp"
#include "pipeline/text/contract/record.hpp"
#include "worker/cli/jobs/job_arguments.hpp"
#include "worker/cli/jobs/result_view.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/interrupt.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/kafka/result_reader.hpp"

namespace ba::cli {
namespace {

void declare(CLI::App& app, ResultsArguments& arguments) {
  app.add_flag("--follow", arguments.follow, "Wait for new results until interrupted");
  app.add_flag("--from-beginning", arguments.from_beginning,
               "With --follow: read the earlier ones first, as is done without it");
  app.add_option("--max", arguments.results_max, "Stop after this many")
      ->check(number_from(0, 1'000'000'000));
  filter_option(app, "--tenant", arguments.tenant, "Only this tenant's (default: all)");
  json_flag(app, arguments.json, JsonForm::Lines);
}

constexpr Milliseconds kWait{500};
constexpr std::size_t kBatch = 100;

void show_line(const JobResult& result, Terminal& terminal) {
  terminal.out() << clock_text(result.finished_at) << "  "
                 << printable(result.tenant.value + "/" + result.job_id.value) << "  "
                 << outcome_text(result.outcome, terminal) << "  "
                 << terminal.styled(Style::Dim, totals_text(result.totals)) << "\n";
  for (const Answer& answer : result.answers)
    terminal.out() << "    " << printable(shortened(answer.text, 160)) << "\n";
  if (result.error)
    terminal.out() << "    " << printable(result.error->code + ": " + result.error->message)
                   << "\n";
}

/// None, and a message, for a record that can't be read.
std::optional<JobResult> result_of(const RawRecord& record, Terminal& terminal) {
  const auto type = header(record.headers, "content-type");
  auto result = decode_result(record.value, type.value_or(""));
  if (result) return *std::move(result);
  terminal.failure(record.source.topic + "[" + std::to_string(record.source.partition) + "]@" +
                   std::to_string(record.source.offset) + ": " + printable(result.error().message));
  return std::nullopt;
}

void show(const JobResult& result, bool json, Terminal& terminal) {
  if (json)
    terminal.out() << result_as_json(result) << "\n";
  else
    show_line(result, terminal);
}

/// Once: whoever follows would else see nothing until one comes.
void tell_waiting(const ResultsArguments& arguments, const std::string& topic, Terminal& terminal) {
  if (!arguments.follow) return;
  const std::string whose = arguments.tenant.empty() ? "" : " of tenant " + arguments.tenant;
  terminal.message(printable("waiting for results" + whose + " on " + topic + " (Ctrl-C ends)"));
}

int results(const ResultsArguments& arguments, const CliSession& session) {
  const kafka::KafkaOptions& options = *session.broker;
  const bool from_end = arguments.follow && !arguments.from_beginning;
  auto reader =
      kafka::ResultReader::create(options, {options.topics.results},
                                  from_end ? kafka::ReadFrom::End : kafka::ReadFrom::Beginning);
  if (!reader) return session.terminal.fail(reader.error());

  tell_waiting(arguments, options.topics.results, session.terminal);
  const Interrupt interrupt;
  std::size_t left = arguments.results_max.value_or(std::numeric_limits<std::size_t>::max());
  bool all_read = true;
  bool none = true;
  while (left > 0) {
    if (interrupt.requested()) return kExitInterrupted;
    auto records =
        (*reader)->read(kWait, arguments.tenant.empty() ? std::min(left, kBatch) : kBatch);
    if (!records) return session.terminal.fail(records.error());
    std::stable_sort(records->begin(), records->end(), [](const auto& a, const auto& b) {
      return a.source.timestamp_ms < b.source.timestamp_ms;  // partitions come one after another
    });
    for (const RawRecord& record : *records) {
      if (left == 0) break;
      const auto result = result_of(record, session.terminal);
      all_read = all_read && result;
      if (result && !arguments.tenant.empty() && result->tenant.value != arguments.tenant) continue;
      if (result) show(*result, arguments.json, session.terminal);
      --left;
      none = false;
    }
    if (!session.terminal.out().flush()) return kExitFailed;  // nobody reads them any longer
    if (records->empty() && !arguments.follow && (*reader)->at_end()) break;
  }
  if (none && !arguments.json)
    session.terminal.message(arguments.tenant.empty() ? "no results" : "no such results");
  return all_read ? kExitOk : kExitFailed;
}

}  // namespace

Command results_command() {
  return command<ResultsArguments>(
      {.name = "results",
       .summary = "Read the results topic, oldest first (committed records only)",
       .examples = "  ba-agent results --max 10\n  ba-agent results --follow --json\n"
                   "  ba-agent results --tenant acme",
       .needs = kNeedsBroker},
      declare, results);
}

}  // namespace ba::cli
