// SPDX-License-Identifier: Apache-2.0
#include "worker/config/tools_config.hpp"

#include <iterator>

namespace ba {

std::vector<SettingProblem> validate(const ToolsConfig& config) {
  std::vector<SettingProblem> problems = validate(config.data_sources, config.write_sources);
  for (const std::vector<SettingProblem>& more :
       {validate(config.files, config.file_write), validate(config.command),
        validate(config.settings)})
    problems.insert(problems.end(), more.begin(), more.end());
  return problems;
}

}  // namespace ba
