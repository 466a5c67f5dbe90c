// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/agent_tools.hpp"

#include <algorithm>
#include <map>

#include "pipeline/core/skill/read_skill.hpp"
#include "pipeline/core/sub_agent/task_tool.hpp"
#include "pipeline/core/tool/data_sources.hpp"
#include "worker/config/configured_tools.hpp"

namespace ba::tools {
namespace {

bool may_use(const config::AgentProfile& agent, const ToolRegistry::Entry& entry) {
  return agent.permission >= entry.tool->descriptor().permission;
}

/// The tool `task` with those that the agent may ask.
void name_sub_agents(const config::AgentProfile& agent, const config::AgentProfiles& agents,
                     const ToolRegistry& registry, std::vector<ToolSpec>& tools) {
  std::map<std::string, std::string> types;
  for (const std::string& name : agent.sub_agents)
    if (const auto asked = agents.find(name); asked != agents.end())
      types.emplace(name, asked->second.description);
  for (ToolSpec& tool : tools) {
    if (tool.name != kTaskTool) continue;
    const bool artifacts = !registry.find(kTaskTool)->artifact_parameters.empty();
    tool.parameters_schema =
        SchemaCheck::compile(schema_for_types(types, artifacts))->schema_for_models();
  }
}

/// An agent with sub-agents has the tool that asks them, one with skills those that activate and
/// end them, and no other agent has.
AllowedTools with_meta_tools(std::set<std::string> names, const config::AgentProfile& agent,
                             const ToolRegistry& registry) {
  names.erase(std::string(kTaskTool));
  if (!agent.sub_agents.empty()) names.emplace(kTaskTool);
  for (const std::string_view tool : {kActivateSkillTool, kDeactivateSkillTool}) {
    names.erase(std::string(tool));
    if (!agent.skills.empty() && registry.find(tool)) names.emplace(tool);
  }
  return names;
}

/// "*" is every tool that the profile's permission is enough for.
Result<AllowedTools> allowed_tools(const std::string& agent, const config::AgentProfile& config,
                                   const ToolRegistry& registry, const mcp::McpConfig& mcp,
                                   const std::set<std::string>& absent) {
  const std::vector<std::string>& tools = config.tools;
  std::set<std::string> names;
  if (std::find(tools.begin(), tools.end(), "*") != tools.end()) {
    for (const std::string& tool : registry.names(std::nullopt))
      if (!absent.contains(tool) && may_use(config, *registry.find(tool))) names.insert(tool);
    return with_meta_tools(std::move(names), config, registry);
  }
  for (const std::string& tool : tools) {
    const ToolRegistry::Entry* entry = absent.contains(tool) ? nullptr : registry.find(tool);
    if (entry && !may_use(config, *entry))
      return invalid_argument("agents." + agent + ".tools: '" + tool + "' needs permission " +
                              std::string(to_string(entry->tool->descriptor().permission)) +
                              "; agents." + agent + ".permission is " +
                              std::string(to_string(config.permission)));
    if (!entry && mcp::may_offer(mcp, tool)) continue;  // its server may be down now
    if (!entry)
      return invalid_argument("agents." + agent + ".tools: there is no tool '" + tool +
                              "' (is its data source or file root configured?)");
    names.insert(tool);
  }
  return with_meta_tools(std::move(names), config, registry);
}

}  // namespace

Result<std::vector<ToolSpec>> tools_of_agent(const std::string& agent, const config::Config& config,
                                             const ToolRegistry& registry,
                                             const std::set<std::string>& absent) {
  const config::AgentProfile& profile = config.agents.at(agent);
  const auto allowed = allowed_tools(agent, profile, registry, config.mcp, absent);
  if (!allowed) return allowed.error();
  const auto sources = config::allowed_sources(config, profile);
  std::vector<ToolSpec> tools;
  for (ToolSpec& spec : registry.specs(allowed.value())) {
    const auto& tool = registry.find(spec.name)->tool->descriptor();
    if (auto offered = with_sources(std::move(spec), tool, sources))
      tools.push_back(std::move(*offered));
  }
  name_sub_agents(profile, config.agents, registry, tools);
  return tools;
}

std::vector<std::string> first_tools_of(const config::AgentProfile& agent) {
  std::vector<std::string> names{std::string(kTaskTool), std::string(kActivateSkillTool),
                                 std::string(kDeactivateSkillTool)};
  names.insert(names.end(), agent.tools.begin(), agent.tools.end());
  return names;
}

}  // namespace ba::tools
