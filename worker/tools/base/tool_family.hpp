#pragma once
// SPDX-License-Identifier: Apache-2.0
// A family of tools, as its folder describes it: its settings, what they say of the rest of the
// configuration, and its tools. families.cpp lists them. Values; any thread.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/core/sub_agent/sub_agent_host.hpp"
#include "pipeline/core/sub_agent/task_tool.hpp"
#include "pipeline/core/tool/gate_limits.hpp"
#include "worker/settings/section_reader.hpp"
#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/base/tools_config.hpp"

namespace ba::tools {

/// What the rest of the configuration tells a family's tools.
struct ToolBasis {
  std::optional<HandOverLimits>
      artifacts;                 ///< what a sub-agent is given of one; none: none are kept
  SubAgentTypes sub_agents;      ///< who may ask whom
  Milliseconds deadline_max{0};  ///< of a job
};

/// What calls may name as their source, and agents must be allowed.
struct ToolSource {
  std::string named;        ///< as ToolRequest::data_sources has it: "index:passages"
  std::string data_source;  ///< as agents.NAME.data_sources has it
  bool inside = false;      ///< it only lies in that data source, which another entry is
};

/// A null function: there is nothing of the kind.
struct ToolFamily {
  /// Its part of section `tools`.
  void (*read)(settings::SectionReader& tools, ToolsConfig& config) = nullptr;
  /// The same of a section of its own, beside `tools`.
  void (*read_beside)(settings::SectionReader& root, ToolsConfig& config) = nullptr;
  /// What no field alone can tell, also of other families' settings.
  std::vector<SettingProblem> (*check)(const ToolsConfig& config) = nullptr;
  /// Adds limits of calls by what they name ("query_database/sales"), and of its tools where
  /// `tools.settings` says none.
  void (*limit)(const ToolsConfig& config, GateTable& gates) = nullptr;
  std::vector<ToolSource> (*sources)(const ToolsConfig& config) = nullptr;
  std::vector<ToolMaker> (*makers)(const ToolsConfig& config, const ToolBasis& basis) = nullptr;
};

}  // namespace ba::tools
