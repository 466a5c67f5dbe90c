// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/parse_arguments.hpp"
#include "worker/settings/findings.hpp"

namespace ba::cli {
namespace {

int show_version(const OnlyJson& arguments, const CliSession& session) {
  std::ostream& out = session.terminal.out();
  const VersionFacts facts = version_facts();
  if (arguments.json)
    out << "{\"version\":" << settings::quoted(facts.version)
        << ",\"commit\":" << settings::quoted(facts.commit)
        << ",\"database_schema\":" << facts.database_schema
        << ",\"messages\":" << settings::quoted(facts.messages) << "}\n";
  else
    out << version_text(facts) << "\n";
  return kExitOk;
}

}  // namespace

Command version_command() {
  return command<OnlyJson>(
      {.name = "version",
       .summary = "Print the version of the program, the database schema and its messages",
       .examples = "  ba-agent version --json",
       .needs = kNeedsNothing},
      declare_json<JsonForm::Document>, show_version);
}

}  // namespace ba::cli
