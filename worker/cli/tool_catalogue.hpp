#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools that a configuration gives, and those of servers that were asked, to be looked at:
// nothing is asked here, nothing can be run.
// Made and dropped by a command; one thread.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/skill/activate_skill_tool.hpp"
#include "worker/config/config.hpp"
#include "worker/mcp/mcp_report.hpp"
#include "worker/tools/build_tools.hpp"

namespace ba {

class ToolCatalogue {
 public:
  /// InvalidArgument for a configuration that can't work (a root that is no directory).
  static Result<ToolCatalogue> make(const Config& config);

  /// Without what can't work, for whoever looks at names.
  static ToolCatalogue with_gaps(const Config& config);

  ToolCatalogue(ToolCatalogue&&) noexcept;
  ToolCatalogue& operator=(ToolCatalogue&&) noexcept;
  ~ToolCatalogue();

  /// With the tools that a server offers. One takes the place of a built-in tool of its name, which
  /// isn't configured, as in a worker.
  Result<void> add(const McpServerReport& server);

  const ToolRegistry& tools() const { return *built_.registry; }
  bool configured(const std::string& tool) const { return !built_.unconfigured.contains(tool); }

  /// Whose tool it is; empty: a built-in one.
  std::string server_of(const std::string& tool) const;

  /// The key that would configure the tool; none: it is configured, or not there.
  std::optional<std::string> lacks(const std::string& tool) const;

  /// All that there are, and those that would be if they could work.
  std::vector<std::string> names() const;
  bool is_gap(const std::string& tool) const { return built_.unmade.contains(tool); }

  /// Names of `tools.settings` that no built-in tool has.
  const std::vector<std::string>& unused_settings() const { return built_.unused_settings; }

  /// Null when there is no such tool.
  const ToolRegistry::Entry* find(const std::string& name) const { return tools().find(name); }

 private:
  explicit ToolCatalogue(std::unique_ptr<Executor> idle);

  std::unique_ptr<Executor> idle_;  ///< what the tools would run on
  std::unique_ptr<SkillHost> no_skills_;
  BuiltTools built_;
  std::map<std::string, std::string> servers_;  ///< by tool
};

/// What to say of a name that no tool has: the nearest one, those there are, and what lists them.
Error no_such_tool(const ToolCatalogue& catalogue, const Config& config, const std::string& name);

}  // namespace ba
