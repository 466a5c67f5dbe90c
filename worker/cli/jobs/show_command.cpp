// SPDX-License-Identifier: Apache-2.0
#include "storage/query.hpp"
#include "worker/cli/jobs/named_job.hpp"
#include "worker/cli/jobs/timeline_view.hpp"
#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/needs.hpp"

namespace ba {

int show_command(const ShowArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto access = postgres_of(session.config());
  if (!access) return terminal.fail(access.error());
  const auto name = named_job(*access, arguments.job, arguments.tenant);
  if (!name) return terminal.fail(name.error());
  const auto found = find_job(*access, name->tenant, name->job);
  if (!found) return terminal.fail(found.error());
  if (!*found) return terminal.fail(no_such_job(*access, *name));
  if (arguments.json)
    show_timeline_json(**found, terminal);
  else
    show_timeline(**found, arguments.full, terminal);
  return kExitOk;
}

}  // namespace ba
