// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/task/build_task.hpp"

namespace ba {
namespace {

/// What a sub-agent's end may take after its deadline, with a ledger that is slow.
constexpr Milliseconds kEndsWithin{60'000};

}  // namespace

ToolMaker task_maker(const SubAgentTypes& types, Milliseconds deadline_max,
                     const SubAgentDesk& desk, Executor& executor,
                     std::optional<HandOverLimits> artifacts) {
  ToolMaker maker;
  maker.name = kTaskTool;
  maker.configured = !types.empty();
  maker.setting = "agents.NAME.sub_agents";
  maker.make = [types, deadline_max, &desk, &executor,
                artifacts](const ToolMaker::Adjust& adjust) -> Result<std::unique_ptr<Tool>> {
    auto tool =
        std::make_unique<TaskTool>(types, deadline_max + kEndsWithin, desk, executor, artifacts);
    adjust(tool->descriptor());
    return std::unique_ptr<Tool>(std::move(tool));
  };
  return maker;
}

}  // namespace ba
