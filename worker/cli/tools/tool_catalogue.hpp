#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools that a configuration gives, and those of servers that were asked, to be looked at:
// nothing is asked here, nothing can be run.
// Made and dropped by a command; one thread.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/config/config.hpp"
#include "worker/mcp/mcp_report.hpp"
#include "worker/tools/described_tools.hpp"

namespace ba::cli {

class ToolCatalogue {
 public:
  /// InvalidArgument for a configuration that can't work (a root that is no directory).
  static Result<ToolCatalogue> make(const config::Config& config);

  /// Without what can't work, for whoever looks at names.
  static ToolCatalogue with_gaps(const config::Config& config);

  /// With the tools that a server offers. One takes the place of a built-in tool of its name, which
  /// isn't configured, as in a worker.
  Result<void> add(const mcp::McpServerReport& server);

  const ToolRegistry& tools() const { return *built().registry; }
  bool configured(const std::string& tool) const { return !built().unconfigured.contains(tool); }

  /// Whose tool it is; empty: a built-in one.
  std::string server_of(const std::string& tool) const;

  /// The key that would configure the tool; none: it is configured, or not there.
  std::optional<std::string> lacks(const std::string& tool) const;

  /// All that there are, and those that would be if they could work.
  std::vector<std::string> names() const;
  bool is_gap(const std::string& tool) const { return built().unmade.contains(tool); }

  /// Names of `tools.settings` that no built-in tool has.
  const std::vector<std::string>& unused_settings() const { return built().unused_settings; }

  /// Null when there is no such tool.
  const ToolRegistry::Entry* find(const std::string& name) const { return tools().find(name); }

 private:
  explicit ToolCatalogue(tools::DescribedTools tools) : described_(std::move(tools)) {}

  tools::BuiltTools& built() { return described_.built; }
  const tools::BuiltTools& built() const { return described_.built; }

  tools::DescribedTools described_;
  std::map<std::string, std::string> servers_;  ///< by tool
};

/// The known tool that a name is nearest to, or SERVER_TOOL with the nearest server that is
/// enabled, whose tools nobody knows before it is asked.
std::optional<std::string> nearest_tool(const ToolCatalogue& catalogue, const mcp::McpConfig& mcp,
                                        const std::string& name);

/// What to say of a name that no tool has: the nearest one, those there are, and what lists them.
Error no_such_tool(const ToolCatalogue& catalogue, const config::Config& config,
                   const std::string& name);

// Whether the tools that agents and settings name are there. Needs the list of all tools, so it is
// no part of reading the configuration; nothing is asked. One thread.

/// Adds an error for each name that no built-in tool has and no configured server of tools can
/// have, and for each tool that can't be used as configured; a warning where only `tools.settings`
/// has the name. A server's own list is known to `doctor` only. What else is wrong with a tool is
/// no matter here, and hides nothing.
void check_tool_names(config::LoadedConfig& loaded);

}  // namespace ba::cli
