#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tool `task` (pipeline/core/sub_agent), for build_tools(): there where some agent has
// sub-agents. Any thread.

#include <optional>
#include <vector>

#include "pipeline/core/sub_agent/task_tool.hpp"
#include "worker/tools/base/tool_maker.hpp"

namespace ba {

/// `deadline_max`: no sub-agent may take longer. `artifacts`: how they are given to a sub-agent;
/// none: none are kept.
std::vector<ToolMaker> task_tools(const SubAgentTypes& types, Milliseconds deadline_max,
                                  std::optional<HandOverLimits> artifacts = std::nullopt);

}  // namespace ba
