// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "worker/cli/program/command.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/version_facts.hpp"
#include "worker/settings/findings.hpp"

namespace ba {
namespace {

struct VersionArguments {
  bool json = false;
};

void declare(CLI::App& app, VersionArguments& arguments) {
  json_flag(app, arguments.json, JsonForm::Document);
}

int show_version(const VersionArguments& arguments, const CliSession& session) {
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

}  // namespace

Command version_command() {
  return command<VersionArguments>(
      {.name = "version",
       .summary = "Print the version of the program, the database schema and its messages",
       .examples = "  ba-agent version --json",
       .needs = kNeedsNothing},
      declare, show_version);
}

}  // namespace ba
