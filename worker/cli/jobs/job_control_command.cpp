// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>

#include "storage/control.hpp"
#include "worker/cli/jobs/named_job.hpp"
#include "worker/cli/program/acting_person.hpp"
#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/needs.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

std::string said(JobAction action, const ControlledJob& job) {
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

Json as_json(const JobName& name, JobAction action, const ControlledJob& job) {
  return {{"tenant", name.tenant.value},
          {"job_id", name.job.value},
          {"action", std::string(to_string(action))},
          {"state_before", std::string(to_string(job.before.state))},
          {"state", std::string(to_string(job.after.state))},
          {"request", std::string(to_string(job.after.request))},
          {"changed", job.after != job.before}};
}

}  // namespace

int job_control_command(const JobControlArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto access = postgres_of(session.config());
  if (!access) return terminal.fail(access.error());
  const std::string by = acting_person(arguments.by);
  int exit_code = kExitOk;
  for (const std::string& id : arguments.jobs) {
    const auto name = named_job(*access, id, arguments.tenant);
    const auto job = name ? control_job(*access, *name, arguments.action, by) : name.error();
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

}  // namespace ba
