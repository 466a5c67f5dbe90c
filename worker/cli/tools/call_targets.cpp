// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/tools/call_targets.hpp"

#include "pipeline/core/skill/skill.hpp"
#include "pipeline/core/sub_agent/task_tool.hpp"
#include "pipeline/core/tool/call_reading.hpp"
#include "worker/tools/skills/skill_review.hpp"

namespace ba {
namespace {

/// As a worker reads them.
SkillOffers skill_offers(const Config& config) {
  SkillOffers offers;
  offers.skills = review_skills(config).skills;
  for (const auto& [name, agent] : config.agents) offers.agents[name] = agent.skills;
  offers.tenants = config.skills.tenants;
  return offers;
}

}  // namespace

CallTargets::CallTargets(const Config& config, const ToolRequest& request)
    : config_(config), tool_(request.call.name), agent_(request.caller_id) {
  if (tool_ == kActivateSkillTool)
    skills_.offered = offered_skills(skill_offers(config), request.caller_id, request.tenant.value);
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
