// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/list_mcp_servers.hpp"

#include <set>

#include "pipeline/core/tool/registry.hpp"
#include "worker/runtime/parts/tool_servers.hpp"
#include "worker/tools/described_tools.hpp"

namespace ba {
namespace {

/// Names that a worker's built-in tools have: a server's tool of such a name gets another.
std::set<std::string> built_in_names(const Config& config) {
  const DescribedTools described = describe_built_in_tools(config);
  const BuiltTools& built = described.built;
  std::set<std::string> names;
  for (const std::string& name : built.registry->names(std::nullopt))
    if (!built.unconfigured.contains(name)) names.insert(name);
  return names;
}

Error taken(const std::string& name) {
  Error error = invalid_argument("tool '" + name + "': there is a built-in one of this name");
  error.code = ErrorCode::Conflict;
  return error;
}

void add_descriptors(std::vector<McpServerReport>& servers, const ToolRegistry& registry) {
  for (McpServerReport& server : servers)
    for (McpToolReport& tool : server.tools)
      if (const auto* entry = registry.find(tool.exposed))
        tool.descriptor = entry->tool->descriptor();
}

}  // namespace

std::vector<McpServerReport> list_mcp_servers(const LoadedConfig& loaded) {
  ProcessParts process;
  NoLog log;
  const std::set<std::string> built_in = built_in_names(loaded.config);
  ToolRegistry registry;
  const auto servers =
      connect_tool_servers(loaded.config.mcp, process, log, [&](MadeTool tool) -> Result<bool> {
        const std::string& name = tool.descriptor->name;
        if (built_in.contains(name)) return taken(name);
        return add_as_set(std::move(tool), loaded.config.tools.settings, registry);
      });
  std::vector<McpServerReport> report = servers->report();
  add_descriptors(report, registry);
  disconnect(*servers, process);
  return report;
}

}  // namespace ba
