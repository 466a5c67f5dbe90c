// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <nlohmann/json.hpp>
#include <ostream>

#include "worker/cli/jobs/job_copy.hpp"
#include "worker/cli/jobs/named_job.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/config/contract_limits.hpp"

namespace ba::cli {
namespace {

struct ForkArguments {
  std::string job;
  std::string tenant;
  int round = 0;
  std::optional<std::string> message;  ///< in the place of that round's, or after the last
  std::string new_id;                  ///< empty: made
  std::string by;
  bool json = false;
};

void declare(CLI::App& app, ForkArguments& arguments) {
  app.add_option("job", arguments.job, std::string("The job to begin from") + kOrWithTenant)
      ->required();
  app.add_option("--round", arguments.round,
                 "The first round to run; the answers before it are kept (the first is 0)")
      ->required()
      ->check(number_from(0, 1'000'000));
  app.add_option("--message", arguments.message,
                 "A message in the place of that round's, or one more after the last");
  app.add_option("--as", arguments.new_id, "The new job's id (default: made)");
  tenant_of_id(app, arguments.tenant);
  by_option(app, arguments.by);
  json_flag(app, arguments.json, JsonForm::Document);
}

int fork_job(const ForkArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto name = named_job(*session.database, arguments.job, arguments.tenant);
  if (!name) return terminal.fail(name.error());
  CopyWish wish;
  wish.source = *name;
  wish.new_id = arguments.new_id;
  wish.suffix = "fork";
  wish.from_round = arguments.round;
  wish.message = arguments.message;
  wish.by = acting_person(arguments.by);
  wish.now = std::chrono::time_point_cast<Microseconds>(std::chrono::system_clock::now());
  wish.limits = config::contract_limits_of(session.config());
  const auto copy = plan_copy(*session.database, wish);
  if (!copy) return terminal.fail(copy.error());
  const auto rows = storage::copy_job(*session.database, *copy);
  if (!rows) return terminal.fail(rows.error());
  const std::string& made = copy->job.job.job_id.value;
  if (arguments.json) {
    terminal.out() << nlohmann::ordered_json{{"tenant", name->tenant.value},
                                             {"job_id", made},
                                             {"forked_from", name->job.value},
                                             {"rounds_kept", rows->rounds}}
                          .dump()
                   << "\n";
  } else {
    terminal.out() << printable(name->tenant.value + "/" + made) << " is ready, with "
                   << counted(rows->rounds, "round") << " of " << printable(name->job.value)
                   << "\n";
  }
  return kExitOk;
}

}  // namespace

Command job_fork_command() {
  return command<ForkArguments>(
      {.name = "job fork",
       .summary = "Make a new job that goes on from a round of another",
       .examples = "  ba-agent job fork job-42 --round 2\n"
                   "  ba-agent job fork job-42 --round 1 --message \"And in May?\" --as job-43",
       .needs = kNeedsDatabase},
      declare, fork_job);
}

}  // namespace ba::cli
