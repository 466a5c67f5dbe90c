#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a command works with. Made by run_program(), valid while a command runs.

#include "worker/cli/exit_code.hpp"
#include "worker/cli/terminal.hpp"
#include "worker/config/config.hpp"

namespace ba {

struct Session {
  const LoadedConfig& loaded;
  Terminal& terminal;

  const Config& config() const { return loaded.config; }
};

}  // namespace ba
