// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/tools/tool_catalogue.hpp"

#include <algorithm>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "pipeline/core/sub_agent/task_tool.hpp"
#include "pipeline/core/tool/tool_names.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba::cli {
namespace {

/// As a server listed it.
class ListedTool final : public Tool {
 public:
  explicit ListedTool(ToolDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
  const ToolDescriptor& descriptor() const override { return descriptor_; }
  std::unique_ptr<ToolRun> run(ToolInvocation, std::function<void(RawToolResult)>) override {
    BA_ASSERT(!"a tool that is only looked at");
    return nullptr;
  }

 private:
  const ToolDescriptor descriptor_;
};

/// Of SERVER_TOOL with a server that is mistyped: the same of the nearest one that is configured.
std::optional<std::string> of_nearest_server(const std::string& name, const mcp::McpConfig& mcp) {
  std::vector<std::string> servers;
  for (const mcp::McpServerConfig& server : mcp.servers)
    if (server.enabled) servers.push_back(server.name);
  for (std::size_t at = name.find('_'); at != std::string::npos; at = name.find('_', at + 1)) {
    if (at + 1 == name.size()) break;
    if (const auto near = nearest_word(name.substr(0, at), servers)) return *near + name.substr(at);
  }
  return std::nullopt;
}

constexpr const char* kEveryTool = "*";

bool names_tools(const config::AgentProfile& agent) {
  return std::ranges::any_of(agent.tools, [](const auto& tool) { return tool != kEveryTool; });
}

SettingProblem unknown(const std::string& key, const std::string& tool,
                       const ToolCatalogue& catalogue, const config::LoadedConfig& loaded) {
  const settings::Findings& findings = loaded.findings;
  const auto near = nearest_tool(catalogue, loaded.config.mcp, tool);
  const std::string asked = findings.excerpt(tool);
  const std::string nearest = near ? findings.excerpt(*near) : "";
  const std::string there = joined(catalogue.names());
  return {.kind = SettingProblem::Kind::NotThere,
          .key = key,
          .value = asked,
          .allowed = there,
          .nearest = nearest,
          .words = "there is no tool " + asked + (near ? "; did you mean " + nearest + "?" : "") +
                   " (there are: " + there + ", and SERVER_TOOL of each of mcp.servers)"};
}

/// Why the agent can't have the tool.
std::optional<SettingProblem> problem_of(const std::string& key, const std::string& tool,
                                         const config::AgentProfile& agent,
                                         const ToolCatalogue& catalogue,
                                         const config::LoadedConfig& loaded) {
  const config::Config& config = loaded.config;
  const auto refused = [&](const std::string& why) {
    const std::string name = settings::quoted(tool);
    return SettingProblem{.kind = SettingProblem::Kind::Refused,
                          .key = key,
                          .value = name,
                          .words = name + " " + why};
  };
  if (catalogue.is_gap(tool)) return std::nullopt;  // said by whatever needs it
  const ToolRegistry::Entry* entry = catalogue.find(tool);
  if (entry == nullptr) {
    const auto settings = config.tools.settings.find(tool);
    if (settings != config.tools.settings.end() && !settings->second.enabled)
      return refused("is switched off by tools.settings." + tool + ".enabled");
    if (mcp::may_offer(config.mcp, tool)) return std::nullopt;
    return unknown(key, tool, catalogue, loaded);
  }
  if (tool == kTaskTool) return std::nullopt;  // a matter of sub_agents
  if (const auto lacking = catalogue.lacks(tool))
    return refused("is not configured: set " + *lacking);
  const PermissionLevel needed = entry->tool->descriptor().permission;
  if (agent.permission >= needed) return std::nullopt;
  return refused("needs permission " + std::string(to_string(needed)) + "; the agent's is " +
                 std::string(to_string(agent.permission)));
}

void check_agents(const ToolCatalogue& catalogue, config::LoadedConfig& loaded) {
  for (const auto& [name, agent] : loaded.config.agents) {
    if (!names_tools(agent)) continue;
    const std::string key = "agents." + name + ".tools";
    // Beside "*" a worker looks at no other name.
    const bool every = std::ranges::find(agent.tools, kEveryTool) != agent.tools.end();
    for (const std::string& tool : agent.tools) {
      if (tool == kEveryTool) continue;
      const auto problem = problem_of(key, tool, agent, catalogue, loaded);
      if (problem && every)
        loaded.findings.warning(loaded.findings.origin_of(key), key, problem->words);
      else if (problem)
        loaded.findings.add(loaded.findings.origin_of(key), *problem);
    }
  }
}

/// An agent's settings of a tool that isn't there would have no effect.
void check_call_settings(const ToolCatalogue& catalogue, config::LoadedConfig& loaded) {
  for (const auto& [name, agent] : loaded.config.agents)
    for (const auto& [tool, unused] : agent.tool_settings) {
      const bool there = catalogue.is_gap(tool) || catalogue.find(tool) != nullptr;
      if (there || mcp::may_offer(loaded.config.mcp, tool)) continue;
      const std::string key = "agents." + name + ".tool_settings." + tool;
      loaded.findings.add(loaded.findings.origin_of(key), unknown(key, tool, catalogue, loaded));
    }
}

/// A worker runs without them, and says so.
void check_settings(const ToolCatalogue& catalogue, config::LoadedConfig& loaded) {
  for (const std::string& tool : catalogue.unused_settings()) {
    if (mcp::may_offer(loaded.config.mcp, tool)) continue;
    const std::string key = "tools.settings." + tool;
    loaded.findings.warning(loaded.findings.origin_of(key), key,
                            unknown(key, tool, catalogue, loaded).words);
    loaded.findings.unused_keys.insert(key);
  }
}

}  // namespace

ToolCatalogue ToolCatalogue::with_gaps(const config::Config& config) {
  return ToolCatalogue(tools::describe_built_in_tools(config));
}

Result<ToolCatalogue> ToolCatalogue::make(const config::Config& config) {
  ToolCatalogue catalogue = with_gaps(config);
  for (const auto& [name, error] : catalogue.built().unmade) return error;
  return catalogue;
}

std::vector<std::string> ToolCatalogue::names() const {
  std::vector<std::string> names = tools().names(std::nullopt);
  for (const auto& [name, error] : built().unmade) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

Result<void> ToolCatalogue::add(const mcp::McpServerReport& server) {
  for (const mcp::McpToolReport& tool : server.tools) {
    if (tool.exposed.empty()) continue;
    if (built().unconfigured.erase(tool.exposed) > 0) built().registry->remove(tool.exposed);
    auto added = built().registry->add(std::make_unique<ListedTool>(tool.descriptor));
    if (!added) return added;
    servers_[tool.exposed] = server.name;
  }
  return {};
}

std::string ToolCatalogue::server_of(const std::string& tool) const {
  const auto found = servers_.find(tool);
  return found == servers_.end() ? "" : found->second;
}

std::optional<std::string> ToolCatalogue::lacks(const std::string& tool) const {
  const auto found = built().unconfigured.find(tool);
  if (found == built().unconfigured.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string> nearest_tool(const ToolCatalogue& catalogue, const mcp::McpConfig& mcp,
                                        const std::string& name) {
  const auto near = nearest_word(name, catalogue.names());
  return near || mcp::may_offer(mcp, name) ? near : of_nearest_server(name, mcp);
}

Error no_such_tool(const ToolCatalogue& catalogue, const config::Config& config,
                   const std::string& name) {
  const auto settings = config.tools.settings.find(name);
  const bool off = settings != config.tools.settings.end() && !settings->second.enabled;
  const auto near = off ? std::nullopt : nearest_tool(catalogue, config.mcp, name);
  return usage_error(
      "there is no tool '" + name + "'; " +
      (off ? "tools.settings." + name + ".enabled is false; " : std::string()) +
      (near ? "did you mean '" + *near + "'? " : "") + "there are: " + joined(catalogue.names()) +
      " (`ba-agent tool list`; with those of MCP servers: `ba-agent tool list --mcp`)");
}

void check_tool_names(config::LoadedConfig& loaded) {
  const bool agents = std::ranges::any_of(loaded.config.agents, [](const auto& agent) {
    return names_tools(agent.second) || !agent.second.tool_settings.empty();
  });
  if (!agents && loaded.config.tools.settings.empty()) return;
  const ToolCatalogue catalogue = ToolCatalogue::with_gaps(loaded.config);
  check_agents(catalogue, loaded);
  check_call_settings(catalogue, loaded);
  check_settings(catalogue, loaded);
}

}  // namespace ba::cli
