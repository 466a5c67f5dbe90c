// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/families.hpp"

#include <algorithm>
#include <iterator>

#include "worker/tools/command/command_tools.hpp"
#include "worker/tools/files/file_tools.hpp"
#include "worker/tools/search/search_tools.hpp"
#include "worker/tools/skills/skill_tools.hpp"
#include "worker/tools/sql/sql_tools.hpp"
#include "worker/tools/task/task_tools.hpp"
#include "worker/tools/vector/vector_tools.hpp"

namespace ba::tools {

const std::vector<ToolFamily>& tool_families() {
  static const std::vector<ToolFamily> all{
      sql::sql_tools(),       files::file_tools(), command::command_tools(), search::search_tools(),
      vector::vector_tools(), task::task_tools(),  skills::skill_tools()};
  return all;
}

std::vector<ToolMaker> tool_makers(const ToolsConfig& config, const ToolBasis& basis) {
  std::vector<ToolMaker> all;
  for (const ToolFamily& family : tool_families())
    std::ranges::move(family.makers(config, basis), std::back_inserter(all));
  return all;
}

std::vector<SettingProblem> validate(const ToolsConfig& config) {
  std::vector<SettingProblem> problems = validate(config.settings);
  for (const ToolFamily& family : tool_families())
    if (family.check != nullptr)
      std::ranges::move(family.check(config), std::back_inserter(problems));
  return problems;
}

}  // namespace ba::tools
