// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/call_targets.hpp"

#include <algorithm>
#include <set>

#include "pipeline/sub_agent/task_tool.hpp"
#include "pipeline/tool/call_reading.hpp"
#include "worker/skills/skill_directory.hpp"
#include "worker/skills/skill_library.hpp"

namespace ba {
namespace {

bool names(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end() || std::ranges::find(list, "*") != list.end();
}

SkillSet offered_skills(const Config& config, const ToolRequest& request) {
  SkillSet skills = find_skills(config.skills).skills;
  std::set<std::string> models;
  for (const ModelConfig& model : config.llm.models) models.insert(model.name);
  drop_without_model(skills, models);
  const auto agent = config.agents.find(request.caller_id);
  const auto tenant = config.skills.tenants.find(request.tenant.value);
  std::erase_if(skills, [&](const auto& skill) {
    return agent == config.agents.end() || !names(agent->second.skills, skill.first) ||
           (tenant != config.skills.tenants.end() && !names(tenant->second, skill.first));
  });
  return skills;
}

}  // namespace

CallTargets::CallTargets(const Config& config, const ToolRequest& request)
    : config_(config), tool_(request.call.name), agent_(request.caller_id) {
  if (tool_ == kActivateSkillTool) skills_.offered = offered_skills(config, request);
}

std::optional<ToolError> CallTargets::refusal(const std::string& args_json) const {
  if (tool_ == kTaskTool)
    return sub_agent_refused(sub_agent_types(config_.agents), agent_,
                             text_argument(args_json, "subagent_type"));
  if (tool_ != kActivateSkillTool) return std::nullopt;
  const SkillAnswer answer = read_skill(skills_, skill_request_of(args_json));
  const auto* error = std::get_if<ToolError>(&answer);
  return error ? std::optional(*error) : std::nullopt;
}

}  // namespace ba
