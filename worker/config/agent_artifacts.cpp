// SPDX-License-Identifier: Apache-2.0
#include "worker/config/agent_artifacts.hpp"

#include <algorithm>
#include <string_view>

#include "worker/mcp/mcp_config.hpp"

namespace ba {
namespace {

constexpr const char* kAllTools = "*";
constexpr std::string_view kReadArtifacts[] = {"file_reader", "file_write", "execute_command"};
constexpr std::string_view kGiveData[] = {"query_database", "web_search", "vector_search"};

bool among(const auto& names, const std::string& tool) {
  return std::ranges::find(names, tool) != std::end(names);
}

/// "*" has file_reader, which an agent may use that isn't restricted.
bool reads_artifacts(const AgentProfile& agent) {
  return !agent.sub_agents.empty() || std::ranges::any_of(agent.tools, [&](const auto& tool) {
    if (tool == kAllTools) return agent.permission != PermissionLevel::Restricted;
    return among(kReadArtifacts, tool);
  });
}

bool gives_data(const AgentProfile& agent, const McpConfig& mcp) {
  return std::ranges::any_of(agent.tools, [&](const auto& tool) {
    if (tool == kAllTools) return !mcp.servers.empty();
    return among(kGiveData, tool) || may_offer(mcp, tool);
  });
}

}  // namespace

std::vector<std::pair<std::string, std::string>> agents_without_artifacts(const Config& config) {
  std::vector<std::pair<std::string, std::string>> found;
  if (!config.artifacts.enabled) return found;
  for (const auto& [name, agent] : config.agents) {
    if (reads_artifacts(agent) || !gives_data(agent, config.mcp)) continue;
    found.emplace_back("agents." + name + ".tools",
                       "none of the tools of agent '" + name +
                           "' reads artifacts: of a large result it sees the beginning and can't "
                           "get at the rest; add file_reader, or let its calls ask for less");
  }
  return found;
}

}  // namespace ba
