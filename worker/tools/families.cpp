// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/families.hpp"

#include <utility>

#include "worker/tools/command/command_tools.hpp"
#include "worker/tools/files/file_tools.hpp"
#include "worker/tools/search/search_tools.hpp"
#include "worker/tools/skills/skill_tools.hpp"
#include "worker/tools/sql/sql_tools.hpp"
#include "worker/tools/task/task_tools.hpp"
#include "worker/tools/vector/vector_tools.hpp"

namespace ba {
namespace {

std::optional<HandOverLimits> hand_over_limits(const Config& config) {
  if (!config.artifacts.enabled) return std::nullopt;
  return HandOverLimits{config.tool_runtime.inline_full_max_bytes,
                        config.tool_runtime.preview_bytes};
}

}  // namespace

std::vector<ToolMaker> tool_makers(const Config& config) {
  std::vector<ToolMaker> all;
  const auto add = [&all](std::vector<ToolMaker> family) {
    for (ToolMaker& maker : family) all.push_back(std::move(maker));
  };
  add(sql_tools(config.tools.data_sources, config.tools.write_sources));
  add(file_tools(config.tools.files, config.tools.file_write));
  add(command_tools(config.tools.command));
  add(search_tools(config.web_search));
  add(vector_tools(config.vector_search, config.tools.data_sources));
  add(task_tools(sub_agent_types(config.agents), config.limits.deadline, hand_over_limits(config)));
  add(skill_tools(config.skills));
  return all;
}

}  // namespace ba
