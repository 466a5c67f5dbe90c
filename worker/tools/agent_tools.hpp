#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which of the tools that there are an agent has: by its list, its permission, its data sources,
// its skills and sub-agents. Pure functions over the configuration and a registry.

#include <set>
#include <string>
#include <vector>

#include "pipeline/core/tool/registry.hpp"
#include "worker/config/config.hpp"

namespace ba::tools {

/// As its model reads them, sorted by name. InvalidArgument when its list names a tool that there
/// is not, or that needs more permission. `absent`: tools of the registry that there are not.
Result<std::vector<ToolSpec>> tools_of_agent(const std::string& agent, const config::Config& config,
                                             const ToolRegistry& registry,
                                             const std::set<std::string>& absent = {});

/// Their names in the order in which they are kept where a model takes fewer: those that belong to
/// its skills and sub-agents, then its list.
std::vector<std::string> first_tools_of(const config::AgentProfile& agent);

}  // namespace ba::tools
