// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/command/command_tools.hpp"

#include "worker/tools/command/execute_command.hpp"
#include "worker/tools/command/sandbox.hpp"

namespace ba {

std::vector<ToolMaker> command_tools(const CommandConfig& command) {
  ToolMaker maker{"execute_command", "tools.execute_command.enabled", command.enabled, {}};
  maker.make = [command](const ToolMaking& making) -> Result<MadeTool> {
    if (!making.only_described)
      if (const auto sandbox = Sandbox(command).self_test(); !sandbox)
        making.warnings.push_back(sandbox.error().message +
                                  ": until then, execute_command refuses");
    return std::make_unique<ExecuteCommand>(command, making.ports.executor);
  };
  return {maker};
}

}  // namespace ba
