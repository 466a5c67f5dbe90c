// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>

#include "storage/query.hpp"
#include "worker/cli/jobs/timeline_view.hpp"
#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/needs.hpp"
#include "worker/cli/program/table.hpp"
#include "worker/cli/program/wording.hpp"

namespace ba {
namespace {

std::string state_text(const JobSummary& job) {
  if (!job.outcome.empty()) return job.outcome;
  if (job.request == "cancel") return job.state + ", being cancelled";
  if (job.request == "pause") return job.state + ", pausing";
  if (!job.waits_for.empty()) return job.state + " for " + job.waits_for;
  return job.state;
}

void show_table(const std::vector<JobSummary>& jobs, Terminal& terminal) {
  Table table(
      {"JOB", "STATE", "LANE", "RECEIVED (UTC)", "ATTEMPT", "ROUNDS", "STEPS", "WORKER", "ERROR"});
  for (const JobSummary& job : jobs)
    table.add({job.tenant.value + "/" + job.job_id.value, state_text(job), job.lane,
               clock_text(job.received_at), std::to_string(job.attempt), std::to_string(job.rounds),
               std::to_string(job.steps), job.worker, job.error_code});
  table.write(terminal);
}

}  // namespace

int job_list_command(const JobListArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto access = ledger_of(session.config());
  if (!access) return terminal.fail(access.error());
  JobFilter filter;
  filter.tenant = arguments.tenant;
  filter.state = arguments.state;
  filter.outcome = arguments.outcome;
  filter.older_than = arguments.older_than;
  filter.newer_than = arguments.newer_than;
  filter.rows_max = arguments.rows_max;
  const auto jobs = list_jobs(*access, filter);
  if (!jobs) return terminal.fail(jobs.error());
  if (arguments.json) {
    for (const JobSummary& job : *jobs) terminal.out() << summary_as_json(job) << "\n";
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

}  // namespace ba
