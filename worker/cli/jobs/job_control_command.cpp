// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>

#include "storage/control.hpp"
#include "worker/cli/jobs/job_arguments.hpp"
#include "worker/cli/jobs/named_job.hpp"
#include "worker/cli/program/command_options.hpp"

namespace ba::cli {
namespace {

template <JobAction action>
void declare(CLI::App& app, JobControlArguments& arguments) {
  arguments.action = action;
  app.add_option("job", arguments.jobs, std::string("The jobs' ids") + kOrWithTenant)->required();
  tenant_of_id(app, arguments.tenant);
  by_option(app, arguments.by);
  json_flag(app, arguments.json, JsonForm::Lines);
}

using Json = nlohmann::ordered_json;

std::string said(JobAction action, const storage::ControlledJob& job) {
  const JobStanding& now = job.after;
  if (now == job.before) {
    if (now.request != JobRequest::None)
      return std::string(to_string(action)) + " was asked for before";
    return "is " + std::string(to_string(now.state)) + " already: nothing to do";
  }
  if (now.request == JobRequest::Cancel) return "is being cancelled";
  if (now.request == JobRequest::Pause) return "is going to pause at its next boundary";
  if (job.before.request == JobRequest::Pause) return "goes on: the pause was taken back";
  return "is " + std::string(to_string(now.state));
}

Json as_json(const storage::JobName& name, JobAction action, const storage::ControlledJob& job) {
  return {{"tenant", name.tenant.value},
          {"job_id", name.job.value},
          {"action", std::string(to_string(action))},
          {"state_before", std::string(to_string(job.before.state))},
          {"state", std::string(to_string(job.after.state))},
          {"request", std::string(to_string(job.after.request))},
          {"changed", job.after != job.before}};
}

int control(const JobControlArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const std::string by = acting_person(arguments.by);
  int exit_code = kExitOk;
  for (const std::string& id : arguments.jobs) {
    const auto name = named_job(*session.database, id, arguments.tenant);
    const auto job =
        name ? storage::control_job(*session.database, *name, arguments.action, by) : name.error();
    if (!job) {
      exit_code = terminal.fail(job.error());
      if (exit_code != kExitFailed) return exit_code;  // no other job fares better
      continue;
    }
    if (arguments.json)
      terminal.out() << as_json(*name, arguments.action, *job).dump() << "\n";
    else
      terminal.out() << printable(name->tenant.value + "/" + name->job.value) << " "
                     << said(arguments.action, *job) << "\n";
  }
  return exit_code;
}

}  // namespace

Command job_cancel_command() {
  return command<JobControlArguments>(
      {.name = "job cancel",
       .summary = "End jobs at once, with outcome cancelled",
       .examples = "  ba-agent job cancel job-42\n"
                   "  ba-agent job cancel job-42 job-43 --tenant acme",
       .needs = kNeedsDatabase},
      declare<JobAction::Cancel>, control);
}

Command job_pause_command() {
  return command<JobControlArguments>(
      {.name = "job pause",
       .summary = "Stop jobs between two steps; later jobs of their conversations wait",
       .examples = "  ba-agent job pause job-42",
       .needs = kNeedsDatabase},
      declare<JobAction::Pause>, control);
}

Command job_resume_command() {
  return command<JobControlArguments>({.name = "job resume",
                                       .summary = "Resume paused jobs",
                                       .examples = "  ba-agent job resume job-42 --tenant acme",
                                       .needs = kNeedsDatabase},
                                      declare<JobAction::Resume>, control);
}

}  // namespace ba::cli
