// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/tools/tool_catalogue.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "worker/cli/program/exit_code.hpp"

namespace ba {
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
std::optional<std::string> of_nearest_server(const std::string& name, const McpConfig& mcp) {
  std::vector<std::string> servers;
  for (const McpServerConfig& server : mcp.servers)
    if (server.enabled) servers.push_back(server.name);
  for (std::size_t at = name.find('_'); at != std::string::npos; at = name.find('_', at + 1)) {
    if (at + 1 == name.size()) break;
    if (const auto near = nearest_word(name.substr(0, at), servers)) return *near + name.substr(at);
  }
  return std::nullopt;
}

}  // namespace

ToolCatalogue ToolCatalogue::with_gaps(const Config& config) {
  return ToolCatalogue(describe_built_in_tools(config));
}

Result<ToolCatalogue> ToolCatalogue::make(const Config& config) {
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

Result<void> ToolCatalogue::add(const McpServerReport& server) {
  for (const McpToolReport& tool : server.tools) {
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

std::optional<std::string> nearest_tool(const ToolCatalogue& catalogue, const McpConfig& mcp,
                                        const std::string& name) {
  const auto near = nearest_word(name, catalogue.names());
  return near || may_offer(mcp, name) ? near : of_nearest_server(name, mcp);
}

Error no_such_tool(const ToolCatalogue& catalogue, const Config& config, const std::string& name) {
  const auto settings = config.tools.settings.find(name);
  const bool off = settings != config.tools.settings.end() && !settings->second.enabled;
  const auto near = off ? std::nullopt : nearest_tool(catalogue, config.mcp, name);
  Error error = invalid_argument(
      "there is no tool '" + name + "'; " +
      (off ? "tools.settings." + name + ".enabled is false; " : std::string()) +
      (near ? "did you mean '" + *near + "'? " : "") + "there are: " + joined(catalogue.names()) +
      " (`ba-agent tool list`; with those of MCP servers: `ba-agent tool list --mcp`)");
  error.detail = kUsageDetail;
  return error;
}

}  // namespace ba
