#pragma once
// SPDX-License-Identifier: Apache-2.0
// Makes the tool `task` (pipeline/core/sub_agent) for the registry, where some agent has
// sub-agents. Any thread.

#include "pipeline/core/sub_agent/task_tool.hpp"
#include "worker/tools/build_tools.hpp"

namespace ba {

/// `deadline_max`: no sub-agent may take longer. The desk and the executor outlive the tool.
/// `artifacts`: how they are given to a sub-agent; none: none are kept.
ToolMaker task_maker(const SubAgentTypes& types, Milliseconds deadline_max,
                     const SubAgentDesk& desk, Executor& executor,
                     std::optional<HandOverLimits> artifacts = std::nullopt);

}  // namespace ba
