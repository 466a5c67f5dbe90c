// SPDX-License-Identifier: Apache-2.0
#include "storage/query.hpp"
#include "worker/cli/commands.hpp"
#include "worker/cli/needs.hpp"
#include "worker/cli/timeline_view.hpp"

namespace ba {

int show_command(const ShowArguments& arguments, const Session& session) {
  Terminal& terminal = session.terminal;
  const auto access = postgres_of(session.config());
  if (!access) return terminal.fail(access.error());
  const auto found = find_job(*access, TenantId(arguments.tenant), JobId(arguments.job));
  if (!found) return terminal.fail(found.error());
  if (!*found) {
    terminal.failure(printable("there is no job \"" + arguments.job + "\" of tenant \"" +
                               arguments.tenant + "\" in the ledger"));
    return kExitFailed;
  }
  if (arguments.json)
    show_timeline_json(**found, terminal);
  else
    show_timeline(**found, arguments.full, terminal);
  return kExitOk;
}

}  // namespace ba
