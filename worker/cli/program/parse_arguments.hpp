#pragma once
// SPDX-License-Identifier: Apache-2.0
// The grammar of the command line and its help, made of the commands that there are, and what `ba-
// agent version` and `ba-agent --version` tell of this program. Pure functions.

#include <any>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "worker/cli/program/command.hpp"

namespace ba::cli {

/// A line that names a command. `command` is one of those that were given.
struct CommandLine {
  const Command* command = nullptr;
  std::any arguments;  ///< for the command's run
  std::optional<std::string> config_file;
  std::vector<config::Override> overrides;
};

/// There is nothing to run: help was asked for, or the line is wrong.
struct NothingToRun {
  int exit_code = 0;
  std::string out;  ///< for standard output
  std::string err;  ///< for standard error
};

/// A group stands before its commands. `commands` outlives the answer.
std::variant<CommandLine, NothingToRun> parse_arguments(const std::vector<Command>& commands,
                                                        int argc, const char* const* argv);

struct VersionFacts {
  std::string version;
  std::string commit;
  int database_schema = 0;  ///< to which it migrates, and with which it works
  std::string messages;     ///< of the messages and tool results that it writes
};

VersionFacts version_facts();

/// "ba-agent 0.1.0 (commit), database schema 24, messages 2.1".
std::string version_text(const VersionFacts& facts);

}  // namespace ba::cli
