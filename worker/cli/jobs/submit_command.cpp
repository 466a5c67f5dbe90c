// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <iostream>

#include "pipeline/text/answer/answer.hpp"
#include "worker/cli/jobs/job_documents.hpp"
#include "worker/cli/jobs/job_watch.hpp"
#include "worker/cli/jobs/result_view.hpp"
#include "worker/cli/jobs/sent_jobs.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/config/contract_limits.hpp"
#include "worker/settings/small_file.hpp"

namespace ba::cli {
namespace {

constexpr std::size_t kInputBytesMax = 256 << 20;  // what one submit takes in

Result<std::string> standard_input() {
  std::string text;
  std::array<char, 65536> piece{};
  while (std::cin.read(piece.data(), piece.size()) || std::cin.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > kInputBytesMax)
      return invalid_argument("the input is larger than 256 MiB: send the jobs in smaller parts");
  }
  return text;
}

/// A lone "-" as the question is standard input: jobs if it begins like JSON, else the question.
Result<std::string> read_input(SubmitArguments& arguments) {
  if (arguments.questions == std::vector<std::string>{"-"}) {
    auto text = standard_input();
    if (!text) return text;
    const std::size_t first = text->find_first_not_of(" \t\r\n");
    const bool json =
        first != std::string::npos && ((*text)[first] == '{' || (*text)[first] == '[');
    arguments.questions.clear();
    if (json)
      arguments.file.assign(1, '-');
    else
      // The end of a line is the pipe's.
      arguments.questions.push_back(text->substr(0, text->find_last_not_of("\r\n") + 1));
    return text;
  }
  if (arguments.file.empty()) return std::string();
  return arguments.file == "-" ? standard_input()
                               : settings::read_file(arguments.file, kInputBytesMax);
}

/// Into the arguments, checked as a worker would.
Result<void> read_answer_schema(SubmitArguments& arguments) {
  const std::string& file = arguments.answer_schema_file;
  if (file.empty()) return {};
  auto text = settings::read_file(file, kInputBytesMax);
  if (!text) return text.error();
  const auto good = check_answer_schema(*text);
  if (!good) return invalid_argument(file + ": answer_schema: " + good.error().message);
  arguments.answer_schema = compact_json(*text);
  return {};
}

const Job* job_of(const std::vector<SentJob>& jobs, const JobResult& result) {
  for (const auto& [job, place] : jobs)
    if (job.job_id == result.job_id && job.tenant == result.tenant) return &job;
  return nullptr;
}

/// Follows the jobs to their ends and shows each.
class Following {
 public:
  Following(std::vector<SentJob> jobs, const SubmitArguments& arguments, Terminal& terminal)
      : jobs_(std::move(jobs)), open_(jobs_), arguments_(arguments), terminal_(terminal) {}

  int run(JobWatch& watch) {
    const Interrupt interrupt;
    const WatchOptions options{arguments_.timeout, !arguments_.quiet && !arguments_.json};
    JobEnds ends;
    ends.finished = [this](const JobResult& result) { finished(result); };
    ends.refused = [this](const Job& job, const std::string& why) { refused(job, why); };
    ends.known = [this](EarlierJob earlier, const std::string& text) { known(earlier, text); };
    const auto waited = watch.wait(jobs_, options, interrupt, terminal_, ends);
    terminal_.live("");
    if (!waited) return given_up(waited.error());
    return all_completed_ ? kExitOk : kExitJobNotDone;
  }

 private:
  void finished(const JobResult& result) {
    all_completed_ = all_completed_ && result.outcome == Outcome::Completed;
    const Job* job = job_of(jobs_, result);
    if (arguments_.json)
      terminal_.out() << result_as_json(result) << std::endl;
    else
      show_result(result, job != nullptr ? job->messages : std::vector<std::string>{}, terminal_);
    close(result.tenant, result.job_id);
  }

  void refused(const Job& job, const std::string& why) {
    all_completed_ = false;
    terminal_.failure(printable(job.job_id.value + " was refused: " + why));
    close(job.tenant, job.job_id);
  }

  void known(EarlierJob earlier, const std::string& text) {
    const bool other = earlier == EarlierJob::OtherContent;
    all_completed_ = all_completed_ && !other;
    if (other)
      terminal_.failure(printable(text));
    else if (!arguments_.quiet)
      terminal_.message(printable(text));
  }

  void close(const TenantId& tenant, const JobId& id) {
    std::erase_if(open_, [&](const SentJob& sent) {
      return sent.job.tenant == tenant && sent.job.job_id == id;
    });
  }

  /// The jobs are where they are and will be run: whoever asked must not ask again.
  int given_up(Error error) {
    show_unfinished(open_, arguments_, terminal_);
    if (error.code == ErrorCode::Cancelled) {
      terminal_.failure(error.message);
      return kExitInterrupted;
    }
    if (error.code != ErrorCode::Timeout)
      error.message += "; the work goes on (`ba-agent show`): don't submit it again";
    return terminal_.fail(error);
  }

  const std::vector<SentJob> jobs_;
  std::vector<SentJob> open_;
  const SubmitArguments& arguments_;
  Terminal& terminal_;
  bool all_completed_ = true;
};

Error nothing_sent(Error error) {
  error.message += "; nothing was submitted";
  return error;
}

/// Before anything is sent: what the waiting needs must be there.
Result<std::unique_ptr<JobWatch>> watch_if_wanted(const SubmitArguments& arguments,
                                                  const config::Config& config) {
  if (!arguments.wait) return std::unique_ptr<JobWatch>();
  auto watch = make_job_watch(config);
  if (!watch) return nothing_sent(watch.error());
  return watch;
}

/// Where the waiting looks into the ledger, and a name was given.
Result<void> tell_conversation(const std::vector<Job>& jobs, const SubmitArguments& arguments,
                               const config::Config& config, Terminal& terminal) {
  const bool wanted = arguments.wait && !arguments.quiet && !arguments.conversation.empty();
  if (!wanted || config.postgres.access.url.empty()) return {};
  auto told = tell_conversations(config.postgres.access, jobs, terminal);
  if (!told) return nothing_sent(told.error());
  return told;
}

int send_and_follow(const std::vector<Job>& jobs, const kafka::KafkaOptions& kafka, JobWatch* watch,
                    const SubmitArguments& arguments, Terminal& terminal) {
  Sending sending = send_jobs(jobs, kafka);
  if (!watch || sending.failure)
    show_sent(sending.sent, arguments, terminal);
  else if (!arguments.quiet && !arguments.json)
    for (const SentJob& sent : sending.sent) tell_place(sent, terminal);
  if (sending.failure) return terminal.fail(*sending.failure);
  return watch ? Following(std::move(sending.sent), arguments, terminal).run(*watch)
               : static_cast<int>(kExitOk);
}

int submit(const SubmitArguments& given, const CliSession& session) {
  Terminal& terminal = session.terminal;
  SubmitArguments arguments = given;
  auto text = read_input(arguments);
  if (!text) return terminal.fail(text.error());
  if (auto schema = read_answer_schema(arguments); !schema) return terminal.fail(schema.error());
  auto jobs = jobs_of(arguments, *text, config::contract_limits_of(session.config()),
                      [] { return random_name("job-"); });
  if (!jobs) return terminal.fail(jobs.error());
  auto kafka = kafka_of(session.config());
  if (!kafka) return terminal.fail(kafka.error());
  const auto watch = watch_if_wanted(arguments, session.config());
  if (!watch) return terminal.fail(watch.error());
  const auto told = tell_conversation(*jobs, arguments, session.config(), terminal);
  if (!told) return terminal.fail(told.error());
  return send_and_follow(*jobs, *kafka, watch->get(), arguments, terminal);
}

void declare_job(CLI::App& app, SubmitArguments& arguments) {
  filter_option(app, "--tenant", arguments.tenant, "Tenant (default: \"default\")");
  filter_option(app, "--job-id", arguments.job_id,
                "The job's id, unique per tenant, without the tenant (default: made)");
  filter_option(
      app, "--conversation", arguments.conversation,
      "Conversation to continue; a new id begins one (with PostgreSQL, --wait says which)");
  filter_option(app, "--agent", arguments.agent, "Agent profile");
  filter_option(app, "--model", arguments.model, "Configured model");
  filter_option(app, "--answer-schema", arguments.answer_schema_file,
                "JSON Schema (draft 7) that each answer must fit; with --wait, the answer is JSON")
      ->type_name("FILE");
  app.add_option("--lane", arguments.lane, "Priority lane")
      ->check(CLI::IsMember({"high", "normal", "batch"}));
  app.add_option_function<std::vector<std::string>>(
         "--meta",
         [&metadata = arguments.metadata](const std::vector<std::string>& pairs) {
           for (const std::string& pair : pairs) {
             const std::size_t equals = pair.find('=');
             if (equals == 0 || equals == std::string::npos)
               throw CLI::ValidationError("--meta", "\"" + pair + "\" is not key=value");
             metadata[pair.substr(0, equals)] = pair.substr(equals + 1);
           }
         },
         "key=value, echoed in the result; may be repeated")
      ->allow_extra_args(false);
}

void declare(CLI::App& app, SubmitArguments& arguments) {
  app.add_option("question", arguments.questions,
                 "The question; several make one job of several rounds; - reads standard input");
  app.add_option("--file", arguments.file,
                 "A job as JSON (AnalysisJob), a list of them, or JSON lines; - is standard input")
      ->type_name("FILE");
  declare_job(app, arguments);
  auto* wait = app.add_flag("--wait", arguments.wait, "Follow the job and print its answer");
  app.add_option_function<double>(
         "--timeout",
         [&arguments](double seconds) {
           arguments.timeout = Milliseconds(static_cast<std::int64_t>(seconds * 1000));
         },
         "Seconds to wait at most (default: 600)")
      ->check(seconds_from(0.001, 1e7))
      ->needs(wait);
  app.add_flag("--quiet", arguments.quiet, "Print no progress");
  json_flag(app, arguments.json, JsonForm::Lines);
  app.callback([&arguments] {
    if (arguments.questions.empty() == arguments.file.empty())
      throw CLI::ValidationError("submit", "give a question or --file, one of them");
  });
}

constexpr const char* kNotes =
    "An id that the tenant used before runs nothing. If PostgreSQL is configured, --wait says\n"
    "so and shows the earlier result. For the same content, the exit code follows the outcome\n"
    "of that result. For other content it is 3: the new job was not run. Without --wait\n"
    "nobody looks. If the waiting ends first (time, Ctrl-C, a database that goes down), the\n"
    "job still runs. With --json, a line then names the place of each such job, as without\n"
    "--wait.";

constexpr const char* kExamples =
    "  ba-agent submit --wait \"How many flights left JFK in March?\"\n"
    "  ba-agent submit --wait \"Which airline has the carrier code UA?\" \"How many flights left "
    "JFK in March?\"   # two rounds\n"
    "  ba-agent submit --file jobs.jsonl --wait --json\n"
    "  ba-agent submit --wait --answer-schema counts.json \"How many flights left each airport?\"\n"
    "    # counts.json: {\"type\": \"object\", \"required\": [\"EWR\", \"JFK\", \"LGA\"],\n"
    "    #   \"additionalProperties\": {\"type\": \"integer\"}}\n"
    "  jq -c '.jobs[]' report.json | ba-agent submit --file -";

}  // namespace

Command submit_command() {
  return command<SubmitArguments>(
      {.name = "submit",
       .summary = "Put a job on the jobs topic, and wait for its answer if asked to",
       .notes = kNotes,
       .examples = kExamples,
       .needs = {.broker = true, .later = true}},
      declare, submit);
}

}  // namespace ba::cli
