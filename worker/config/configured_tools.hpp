#pragma once
// SPDX-License-Identifier: Apache-2.0
// The families of tools (worker/tools/families.hpp) with the rest of a configuration: what is told
// to them and asked of them. Pure functions; any thread.

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "worker/config/config.hpp"
#include "worker/tools/base/tool_maker.hpp"

namespace ba::config {

/// Of all tools that there may be, as they are configured; for build_tools().
std::vector<tools::ToolMaker> tool_makers(const Config& config);

/// How often and how many at once calls may be, by tool and by what they name.
GateTable gates_of(const tools::ToolsConfig& tools);

/// Which data sources the calls of an agent may name: those of its profile, and what lies in them,
/// as ToolRequest::data_sources has them. None: every one.
std::optional<std::set<std::string>> allowed_sources(const Config& config,
                                                     const AgentProfile& agent);

/// For each name in an agent's profile that no source has.
std::vector<SettingProblem> validate_agent_sources(const Config& config);

/// The key and what is to be said of it, for each agent that has no way to the rest of a large
/// result: its tools give data and none of them reads artifacts. Nothing where none are kept.
std::vector<std::pair<std::string, std::string>> agents_without_artifacts(const Config& config);

}  // namespace ba::config
