// SPDX-License-Identifier: Apache-2.0
#include "worker/config/configured_tools.hpp"

#include <algorithm>

#include "pipeline/base/setting_problem.hpp"
#include "worker/tools/families.hpp"

namespace ba::config {
namespace {

constexpr std::string_view kEvery = "*";

tools::ToolBasis basis_of(const Config& config) {
  tools::ToolBasis basis;
  basis.sub_agents = sub_agent_types(config.agents);
  basis.deadline_max = config.limits.deadline;
  if (config.artifacts.enabled)
    basis.artifacts = HandOverLimits{config.tool_runtime.inline_full_max_bytes,
                                     config.tool_runtime.preview_bytes};
  return basis;
}

std::vector<tools::ToolSource> sources_of(const tools::ToolsConfig& tools) {
  std::vector<tools::ToolSource> all;
  for (const tools::ToolFamily& family : tools::tool_families())
    if (family.sources != nullptr)
      std::ranges::move(family.sources(tools), std::back_inserter(all));
  return all;
}

std::vector<std::string> names_of(const std::vector<tools::ToolMaker>& makers,
                                  tools::ArtifactRole role) {
  std::vector<std::string> names;
  for (const tools::ToolMaker& maker : makers)
    if (maker.artifacts == role) names.push_back(maker.name);
  return names;
}

bool among(const std::vector<std::string>& names, const std::string& tool) {
  return std::ranges::find(names, tool) != names.end();
}

/// Of "*" an agent that isn't restricted may use one that reads them.
bool reads_artifacts(const AgentProfile& agent, const std::vector<std::string>& readers) {
  return !agent.sub_agents.empty() || std::ranges::any_of(agent.tools, [&](const auto& tool) {
    return tool == kEvery ? agent.permission != PermissionLevel::Restricted : among(readers, tool);
  });
}

bool gives_data(const AgentProfile& agent, const std::vector<std::string>& makers_of_data,
                const mcp::McpConfig& mcp) {
  return std::ranges::any_of(agent.tools, [&](const auto& tool) {
    if (tool == kEvery) return !mcp.servers.empty();
    return among(makers_of_data, tool) || mcp::may_offer(mcp, tool);
  });
}

}  // namespace

std::vector<tools::ToolMaker> tool_makers(const Config& config) {
  return tool_makers(config.tools, basis_of(config));
}

GateTable gates_of(const tools::ToolsConfig& tools) {
  GateTable gates;
  for (const auto& [name, settings] : tools.settings) gates[name] = settings.gate;
  for (const tools::ToolFamily& family : tools::tool_families())
    if (family.limit != nullptr) family.limit(tools, gates);
  std::erase_if(gates, [](const auto& gate) { return !gate.second.any(); });
  return gates;
}

std::optional<std::set<std::string>> allowed_sources(const Config& config,
                                                     const AgentProfile& agent) {
  if (std::ranges::find(agent.data_sources, kEvery) != agent.data_sources.end())
    return std::nullopt;
  std::set<std::string> allowed;
  for (const tools::ToolSource& source : sources_of(config.tools))
    if (among(agent.data_sources, source.data_source)) allowed.insert(source.named);
  return allowed;
}

std::vector<SettingProblem> validate_agent_sources(const Config& config) {
  std::set<std::string> names;
  for (const tools::ToolSource& source : sources_of(config.tools))
    if (!source.inside) names.insert(source.data_source);
  const std::vector<std::string> known{names.begin(), names.end()};
  std::vector<SettingProblem> problems;
  for (const auto& [agent, profile] : config.agents)
    for (const std::string& name : profile.data_sources)
      if (name != kEvery)
        KeyChecks(problems, "agents." + agent)
            .there_is(name, known, "data_sources", "data source", {"tools.data_sources"});
  return problems;
}

std::vector<std::pair<std::string, std::string>> agents_without_artifacts(const Config& config) {
  std::vector<std::pair<std::string, std::string>> found;
  if (!config.artifacts.enabled) return found;
  const std::vector<tools::ToolMaker> tools = tool_makers(config);
  const std::vector<std::string> readers = names_of(tools, tools::ArtifactRole::Reads);
  const std::vector<std::string> makers_of_data = names_of(tools, tools::ArtifactRole::Makes);
  for (const auto& [name, agent] : config.agents) {
    if (reads_artifacts(agent, readers) || !gives_data(agent, makers_of_data, config.mcp)) continue;
    found.emplace_back("agents." + name + ".tools",
                       "none of the tools of agent '" + name +
                           "' reads artifacts: of a large result it sees the beginning and can't "
                           "get at the rest; add " +
                           readers.front() + ", or let its calls ask for less");
  }
  return found;
}

}  // namespace ba::config
