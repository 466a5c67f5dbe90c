#pragma once
// SPDX-License-Identifier: Apache-2.0
// The program behind main(): parses the command line, loads the configuration, runs one command and
// answers with the exit code. What runs jobs is given by main, so that this library knows no
// runtime.

#include <functional>
#include <string>

#include "worker/cli/terminal.hpp"
#include "worker/config/config.hpp"

namespace ba {

struct ProgramHooks {
  std::function<int(const LoadedConfig&)> run_worker;
};

int run_program(int argc, const char* const* argv, const Environment& environment,
                Terminal& terminal, const ProgramHooks& hooks);

}  // namespace ba
