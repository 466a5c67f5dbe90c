#pragma once
// SPDX-License-Identifier: Apache-2.0
// The program behind main(): parses the command line, loads the configuration, runs one command and
// answers with the exit code.

#include <vector>

#include "worker/cli/program/command.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/config/config.hpp"

namespace ba::cli {

/// Every command of the program, in the order of its help: the only list. Grammar, help, errors of
/// usage and what runs come from it. A group ("job") stands before its commands ("job list").
std::vector<Command> command_list();

int run_program(int argc, const char* const* argv, const config::Environment& environment,
                Terminal& terminal, const ProgramHooks& hooks);

}  // namespace ba::cli
