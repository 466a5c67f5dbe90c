// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/tool_calls.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/base/joined.hpp"
#include "pipeline/message/json_proof.hpp"
#include "pipeline/skill/read_skill.hpp"
#include "pipeline/sub_agent/task_tool.hpp"
#include "pipeline/tool/json_shape.hpp"
#include "worker/cli/exit_code.hpp"
#include "worker/config/agent_sources.hpp"

namespace ba {
namespace {

Error usage(std::string message) {
  Error error = invalid_argument(std::move(message));
  error.detail = kUsageDetail;
  return error;
}

std::string names_of(const AgentProfiles& agents) {
  std::vector<std::string> names;
  for (const auto& [name, agent] : agents) names.push_back(name);
  return joined(names);
}

/// What a worker offers to the agent's model.
bool offers(const AgentProfile& agent, const std::string& tool) {
  if (tool == kTaskTool) return !agent.sub_agents.empty();
  if (tool == kActivateSkillTool || tool == kDeactivateSkillTool) return !agent.skills.empty();
  const auto named = [&](std::string_view name) {
    return std::ranges::find(agent.tools, name) != agent.tools.end();
  };
  return named("*") || named(tool);
}

/// None where the tool is one of the agent's.
AllowedTools allowed_to(const AgentProfile& agent, const std::string& tool,
                        const ToolRegistry& known) {
  if (offers(agent, tool)) return std::nullopt;
  std::set<std::string> names(agent.tools.begin(), agent.tools.end());  // of servers of tools, too
  for (const std::string& name : known.names(std::nullopt))
    if (offers(agent, name)) names.insert(name);
  return names;
}

}  // namespace

Result<ToolRequest> tool_request(const ToolCallArguments& call, const Config& config,
                                 const ToolRegistry& known) {
  const auto agent = config.agents.find(call.agent);
  if (agent == config.agents.end())
    return usage("there is no agent '" + call.agent + "'; there are: " + names_of(config.agents));
  ToolRequest request;
  request.call.id = ToolCallId("cli");
  request.call.name = call.tool;
  request.tenant = TenantId(call.tenant);
  request.caller_id = call.agent;
  request.allowed = allowed_to(agent->second, call.tool, known);
  request.permission = call.permission.value_or(agent->second.permission);
  request.data_sources = allowed_sources(config, agent->second);
  request.cache_policy = call.cache_policy;
  request.agent_level = agent->second.output_level;
  request.given_key = call.idempotency_key;
  return request;
}

Result<void> parse_json(const std::string& text, nlohmann::ordered_json& json) {
  if (!json_shape(text).within_limits())
    return invalid_argument("JSON of more than " + json_shape_limits());
  if (const auto problem = json_problem(text, kJsonDepthMax))
    return invalid_argument("not JSON: " + *problem);
  try {
    json = nlohmann::ordered_json::parse(text);
    return {};
  } catch (const nlohmann::json::exception&) {
    return invalid_argument("not JSON");
  }
}

}  // namespace ba
