// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/task/task_tools.hpp"

#include <utility>

#include "pipeline/base/assert.hpp"

namespace ba::task {
namespace {

/// What a sub-agent's end may take after its deadline, with a ledger that is slow.
constexpr Milliseconds kEndsWithin{60'000};

/// Of one worker at work at once, where tools.settings.task says no number: each asks its model.
constexpr int kSubAgentsMax = 64;

std::vector<tools::ToolMaker> makers(const tools::ToolsConfig&, const tools::ToolBasis& basis) {
  const bool configured = !basis.sub_agents.empty();
  tools::ToolMaker maker{std::string(kTaskTool), "agents.NAME.sub_agents", configured, {}};
  maker.make = [basis](const tools::ToolMaking& making) -> Result<tools::MadeTool> {
    BA_ASSERT(making.ports.sub_agents != nullptr);
    return std::make_unique<TaskTool>(basis.sub_agents, basis.deadline_max + kEndsWithin,
                                      *making.ports.sub_agents, making.ports.executor,
                                      basis.artifacts);
  };
  return {std::move(maker)};
}

void limit(const tools::ToolsConfig&, GateTable& gates) {
  int& sub_agents = gates[std::string(kTaskTool)].concurrency_max;
  if (sub_agents == 0) sub_agents = kSubAgentsMax;
}

}  // namespace

tools::ToolFamily task_tools() { return {.limit = limit, .makers = makers}; }

}  // namespace ba::task
