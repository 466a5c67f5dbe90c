// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/command/command_config.hpp"

#include "pipeline/base/setting_problem.hpp"

namespace ba {

std::vector<SettingProblem> validate(const CommandConfig& command) {
  std::vector<SettingProblem> problems;
  KeyChecks(problems, "tools.execute_command")
      .expect(command.bubblewrap.starts_with('/'), "bubblewrap", "'" + command.bubblewrap + "'",
              "an absolute path");
  return problems;
}

}  // namespace ba
