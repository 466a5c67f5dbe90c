// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/task/task_tools.hpp"

#include "pipeline/base/assert.hpp"

namespace ba {
namespace {

/// What a sub-agent's end may take after its deadline, with a ledger that is slow.
constexpr Milliseconds kEndsWithin{60'000};

}  // namespace

std::vector<ToolMaker> task_tools(const SubAgentTypes& types, Milliseconds deadline_max,
                                  std::optional<HandOverLimits> artifacts) {
  ToolMaker maker{std::string(kTaskTool), "agents.NAME.sub_agents", !types.empty(), {}};
  maker.make = [types, deadline_max, artifacts](const ToolMaking& making) -> Result<MadeTool> {
    BA_ASSERT(making.ports.sub_agents != nullptr);
    return std::make_unique<TaskTool>(types, deadline_max + kEndsWithin, *making.ports.sub_agents,
                                      making.ports.executor, artifacts);
  };
  return {maker};
}

}  // namespace ba
