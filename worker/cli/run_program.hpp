#pragma once
// SPDX-License-Identifier: Apache-2.0
// The program behind main(): parses the command line, loads the configuration, runs one command and
// answers with the exit code.

#include "worker/cli/program/command.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/config/config.hpp"

namespace ba {

int run_program(int argc, const char* const* argv, const Environment& environment,
                Terminal& terminal, const ProgramHooks& hooks);

}  // namespace ba
