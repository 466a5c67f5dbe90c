// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/tool_makers.hpp"

#include "worker/tools/search/build_web_search.hpp"
#include "worker/tools/skills/build_skill_tools.hpp"
#include "worker/tools/task/build_task.hpp"
#include "worker/tools/vector/build_vector_search.hpp"

namespace ba {

namespace {

std::optional<HandOverLimits> hand_over_limits(const Config& config) {
  if (!config.artifacts.enabled) return std::nullopt;
  return HandOverLimits{config.tool_runtime.inline_full_max_bytes,
                        config.tool_runtime.preview_bytes};
}

}  // namespace

std::vector<ToolMaker> tool_makers(const Config& config, HttpClient* http, const SubAgentDesk& desk,
                                   SkillHost& skills, Executor& executor) {
  std::vector<ToolMaker> makers = {
      web_search_maker(config.web_search, http, executor),
      vector_search_maker(config.vector_search, config.tools.data_sources, http, executor),
      task_maker(sub_agent_types(config.agents), config.limits.deadline, desk, executor,
                 hand_over_limits(config)),
  };
  for (ToolMaker& maker : skill_makers(config.skills, skills, executor))
    makers.push_back(std::move(maker));
  return makers;
}

}  // namespace ba
