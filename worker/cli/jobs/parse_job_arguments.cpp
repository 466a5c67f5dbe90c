// SPDX-License-Identifier: Apache-2.0
// The grammar of `ba-agent job`.
#include <algorithm>
#include <iterator>

#include "pipeline/base/joined.hpp"
#include "pipeline/core/job/outcome.hpp"
#include "worker/cli/program/age_text.hpp"
#include "worker/cli/program/command_grammar.hpp"

namespace ba {
namespace {

struct ControlWords {
  JobAction action;
  const char* about;
  const char* examples;
};

constexpr const char* kOutcomes =
    "completed, step_limit, token_limit, cost_limit, deadline_exceeded, refused, truncated, "
    "model_error, invalid_job, cancelled, poisoned, failed";

constexpr const char* kStates[] = {"ready", "running", "paused", "waiting", "finished"};

bool is_state(const std::string& word) {
  return std::find(std::begin(kStates), std::end(kStates), word) != std::end(kStates);
}

/// What is wrong with the word; CLI11 wants an empty text where nothing is.
std::string state_problem(const std::string& word) {
  if (is_state(word)) return {};
  const std::string quoted = "\"" + word + "\"";
  if (parse_outcome(word)) return quoted + " is an outcome, no state: give --outcome " + word;
  return quoted + " is no state; there are: " + joined(kStates);
}

std::string outcome_problem(const std::string& word) {
  if (parse_outcome(word)) return {};
  const std::string quoted = "\"" + word + "\"";
  if (is_state(word)) return quoted + " is a state, no outcome: give --state " + word;
  return quoted + " is no outcome; there are: " + kOutcomes;
}

constexpr ControlWords kControls[] = {
    {JobAction::Cancel, "End jobs at once, with outcome cancelled",
     "  ba-agent job cancel job-42\n  ba-agent job cancel job-42 job-43 --tenant acme"},
    {JobAction::Pause, "Stop jobs between two steps; later ones of their conversations wait",
     "  ba-agent job pause job-42"},
    {JobAction::Resume, "Let paused jobs go on", "  ba-agent job resume job-42 --tenant acme"}};

void add_control(CLI::App& parent, const Chosen& chosen, const ControlWords& words) {
  const std::string name(to_string(words.action));
  CLI::App* app = command(parent, name.c_str(), words.about, words.examples);
  auto arguments = std::make_shared<JobControlArguments>();
  arguments->action = words.action;
  app->add_option("job", arguments->jobs, std::string("The jobs' ids") + kOrWithTenant)->required();
  tenant_of_id(*app, arguments->tenant);
  app->add_option("--by", arguments->by, "Who asks (default: the account, at this host)");
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_list(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app = command(parent, "list", "List jobs, newest first",
                          "  ba-agent job list --state running\n"
                          "  ba-agent job list --outcome failed --newer-than 1d --json\n"
                          "  ba-agent job list --state ready --older-than 10m --tenant acme");
  auto arguments = std::make_shared<JobListArguments>();
  app->add_option("--state", arguments->state, "Only jobs in this state: " + joined(kStates))
      ->check(state_problem);
  app->add_option("--outcome", arguments->outcome,
                  std::string("Only jobs that ended so: ") + kOutcomes)
      ->check(outcome_problem);
  app->add_option("--tenant", arguments->tenant, "Only this tenant's (default: all)")
      ->check(not_empty());
  age_option(*app, "--older-than", arguments->older_than, "Received longer ago than this");
  age_option(*app, "--newer-than", arguments->newer_than, "Received since then");
  app->add_option("--max", arguments->rows_max, "At most so many (default 100)")
      ->check(number_from(1, 100'000));
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_fork(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app =
      command(parent, "fork", "Make a new job that goes on from a round of another",
              "  ba-agent job fork job-42 --round 2\n"
              "  ba-agent job fork job-42 --round 1 --message \"And in May?\" --as job-43");
  auto arguments = std::make_shared<JobForkArguments>();
  app->add_option("job", arguments->job, std::string("The job to begin from") + kOrWithTenant)
      ->required();
  app->add_option("--round", arguments->round,
                  "The first round to run; the answers before it are kept (the first is 0)")
      ->required()
      ->check(number_from(0, 1'000'000));
  app->add_option("--message", arguments->message,
                  "In the place of that round's message, or one more after the last");
  app->add_option("--as", arguments->new_id, "The new job's id (default: made)");
  tenant_of_id(*app, arguments->tenant);
  app->add_option("--by", arguments->by, "Who does it (default: the account, at this host)");
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_resolve(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app = command(parent, "resolve", "Say what became of a tool call that a job waits for",
                          "  ba-agent job resolve job-42 --happened --result '{\"order\":17}'\n"
                          "  ba-agent job resolve job-42 --call call_2 --did-not-happen\n"
                          "  ba-agent job resolve job-42 --give-up --tenant acme");
  auto arguments = std::make_shared<JobResolveArguments>();
  app->add_option("job", arguments->job, std::string("The job's id") + kOrWithTenant)->required();
  CLI::Option_group* verdict = app->add_option_group("What became of it");
  verdict->add_flag_callback(
      "--happened", [=] { arguments->verdict = CallVerdict::Happened; },
      "It took effect: the job goes on with its result");
  verdict->add_flag_callback(
      "--did-not-happen", [=] { arguments->verdict = CallVerdict::DidNotHappen; },
      "It had no effect, nor will it: it is run again");
  verdict->add_flag_callback(
      "--give-up", [=] { arguments->verdict = CallVerdict::GiveUp; },
      "Nobody can tell: the model reads that, and decides");
  verdict->require_option(1);
  CLI::Option* happened = verdict->get_option("--happened");
  app->add_option("--call", arguments->call, "The call's id, if the job waits for several");
  CLI::Option* result = app->add_option("--result", arguments->result,
                                        "What the tool answered or would have, JSON or text");
  CLI::Option* file =
      app->add_option("--result-file", arguments->result_file, "The same, in a file")
          ->type_name("FILE");
  result->needs(happened)->excludes(file);
  file->needs(happened);
  tenant_of_id(*app, arguments->tenant);
  app->add_option("--by", arguments->by, "Who answers (default: the account, at this host)");
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

}  // namespace

void age_option(CLI::App& app, const char* name, std::optional<Milliseconds>& age,
                const char* about) {
  app.add_option_function<std::string>(
         name,
         [&age, name](const std::string& text) {
           age = parse_age(text);
           if (!age)
             throw CLI::ValidationError(name, "\"" + text +
                                                  "\" is no span of time; write a number with s, "
                                                  "m, h or d: 90s, 30m, 12h, 7d");
         },
         std::string(about) + " (90s, 30m, 12h, 7d)")
      ->type_name("AGE");
}

void add_job(CLI::App& parent, const Chosen& chosen) {
  CLI::App* job = command(parent, "job", "List and steer jobs that are on their way",
                          "  ba-agent job list\n  ba-agent job cancel job-42");
  job->require_subcommand(1);
  add_list(*job, chosen);
  add_fork(*job, chosen);
  add_resolve(*job, chosen);
  for (const ControlWords& words : kControls) add_control(*job, chosen, words);
}

}  // namespace ba
