// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/command.hpp"

namespace ba::cli {
namespace {

int work(const NoArguments&, const CliSession& session) {
  if (!session.hooks.run_worker) {
    session.terminal.failure("this program was built without the part that runs jobs");
    return kExitFailed;
  }
  const auto ran = session.hooks.run_worker(session.loaded);
  return ran ? static_cast<int>(kExitOk) : exit_code_of_start(ran.error());
}

}  // namespace

Command worker_command() {
  return command<NoArguments>(
      {.name = "worker",
       .summary = "Take jobs from Kafka and run them until SIGTERM",
       .examples = "  ba-agent worker --config /etc/ba-agent/ba-agent.yaml\n"
                   "  BA_LOG_FORMAT=text ba-agent worker --set limits.running_jobs_max=50",
       .needs = {.database = true, .broker = true},
       .logs_to_output = true},
      declare_nothing, work);
}

}  // namespace ba::cli
