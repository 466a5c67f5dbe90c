// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "worker/cli/commands.hpp"
#include "worker/config/findings.hpp"
#include "worker/version/version.hpp"

namespace ba {

int version_command(const VersionArguments& arguments, const Session& session) {
  const std::string version(program_version());
  const std::string commit(program_commit());
  std::ostream& out = session.terminal.out();
  if (arguments.json)
    out << "{\"version\":" << quoted(version) << ",\"commit\":" << quoted(commit) << "}\n";
  else
    out << "ba-agent " << version << " (" << commit << ")\n";
  return kExitOk;
}

}  // namespace ba
