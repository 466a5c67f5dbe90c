// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/version_facts.hpp"
#include "worker/settings/findings.hpp"

namespace ba {

int version_command(const VersionArguments& arguments, const CliSession& session) {
  std::ostream& out = session.terminal.out();
  const VersionFacts facts = version_facts();
  if (arguments.json)
    out << "{\"version\":" << quoted(facts.version) << ",\"commit\":" << quoted(facts.commit)
        << ",\"database_schema\":" << facts.database_schema
        << ",\"messages\":" << quoted(facts.messages) << "}\n";
  else
    out << version_text(facts) << "\n";
  return kExitOk;
}

}  // namespace ba
