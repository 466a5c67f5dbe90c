// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <nlohmann/json.hpp>
#include <ostream>

#include "worker/cli/jobs/job_copy.hpp"
#include "worker/cli/jobs/named_job.hpp"
#include "worker/cli/program/acting_person.hpp"
#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/needs.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/config/contract_limits.hpp"

namespace ba {

int job_fork_command(const JobForkArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto access = postgres_of(session.config());
  if (!access) return terminal.fail(access.error());
  const auto name = named_job(*access, arguments.job, arguments.tenant);
  if (!name) return terminal.fail(name.error());
  CopyWish wish;
  wish.source = *name;
  wish.new_id = arguments.new_id;
  wish.suffix = "fork";
  wish.from_round = arguments.round;
  wish.message = arguments.message;
  wish.by = acting_person(arguments.by);
  wish.now = std::chrono::time_point_cast<Microseconds>(std::chrono::system_clock::now());
  wish.limits = contract_limits_of(session.config());
  const auto copy = plan_copy(*access, wish);
  if (!copy) return terminal.fail(copy.error());
  const auto rows = copy_job(*access, *copy);
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

}  // namespace ba
