// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

#include "pipeline/base/joined.hpp"
#include "pipeline/core/job/outcome.hpp"
#include "storage/query.hpp"
#include "worker/cli/jobs/job_arguments.hpp"
#include "worker/cli/jobs/timeline_view.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/wording.hpp"

namespace ba::cli {
namespace {

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

void declare(CLI::App& app, JobListArguments& arguments) {
  app.add_option("--state", arguments.state, "Only jobs in this state: " + joined(kStates))
      ->check(state_problem);
  app.add_option("--outcome", arguments.outcome,
                 std::string("Only jobs that ended so: ") + kOutcomes)
      ->check(outcome_problem);
  filter_option(app, "--tenant", arguments.tenant, "Only this tenant's (default: all)");
  age_option(app, "--older-than", arguments.older_than, "Received longer ago than this");
  age_option(app, "--newer-than", arguments.newer_than, "Received since then");
  max_option(app, arguments.rows_max);
  json_flag(app, arguments.json, JsonForm::Lines);
}

std::string state_text(const storage::JobSummary& job) {
  if (!job.outcome.empty()) return job.outcome;
  if (job.request == "cancel") return job.state + ", being cancelled";
  if (job.request == "pause") return job.state + ", pausing";
  if (!job.waits_for.empty()) return job.state + " for " + job.waits_for;
  return job.state;
}

void show_table(const std::vector<storage::JobSummary>& jobs, Terminal& terminal) {
  Table table(
      {"JOB", "STATE", "LANE", "RECEIVED (UTC)", "ATTEMPT", "ROUNDS", "STEPS", "WORKER", "ERROR"});
  for (const storage::JobSummary& job : jobs)
    table.add({job.tenant.value + "/" + job.job_id.value, state_text(job), job.lane,
               clock_text(job.received_at), std::to_string(job.attempt), std::to_string(job.rounds),
               std::to_string(job.steps), job.worker, job.error_code});
  table.write(terminal);
}

int list(const JobListArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  storage::JobFilter filter;
  filter.tenant = arguments.tenant;
  filter.state = arguments.state;
  filter.outcome = arguments.outcome;
  filter.older_than = arguments.older_than;
  filter.newer_than = arguments.newer_than;
  filter.rows_max = arguments.rows_max;
  const auto jobs = storage::list_jobs(*session.database, filter);
  if (!jobs) return terminal.fail(jobs.error());
  if (arguments.json) {
    for (const storage::JobSummary& job : *jobs) terminal.out() << summary_as_json(job) << "\n";
    return kExitOk;
  }
  if (jobs->empty()) {
    terminal.message("no such jobs");
    return kExitOk;
  }
  show_table(*jobs, terminal);
  if (static_cast<int>(jobs->size()) == arguments.rows_max)
    terminal.message("the newest " + std::to_string(jobs->size()) + "; --max shows more");
  return kExitOk;
}

}  // namespace

Command job_list_command() {
  return command<JobListArguments>(
      {.name = "job list",
       .summary = "List jobs, newest first",
       .examples = "  ba-agent job list --state running\n"
                   "  ba-agent job list --outcome failed --newer-than 1d --json\n"
                   "  ba-agent job list --state ready --older-than 10m --tenant acme",
       .needs = kNeedsLedger},
      declare, list);
}

}  // namespace ba::cli
