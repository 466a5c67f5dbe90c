// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/command/command_tools.hpp"

#include <utility>

#include "worker/tools/command/command_config.hpp"
#include "worker/tools/command/execute_command.hpp"
#include "worker/tools/command/sandbox.hpp"

namespace ba::command {
namespace {

std::vector<tools::ToolMaker> makers(const tools::ToolsConfig& config,
                                     const tools::ToolBasis& basis) {
  CommandConfig command = config.of<CommandConfig>();
  command.artifacts = basis.artifacts.has_value();
  tools::ToolMaker maker{"execute_command", "tools.execute_command.enabled", command.enabled, {}};
  maker.artifacts = tools::ArtifactRole::Reads;
  maker.make = [command](const tools::ToolMaking& making) -> Result<tools::MadeTool> {
    if (!making.only_described)
      if (const auto sandbox = Sandbox(command).self_test(); !sandbox)
        making.warnings.push_back(sandbox.error().message +
                                  ": until then, execute_command refuses");
    return std::make_unique<ExecuteCommand>(command, making.ports.executor);
  };
  return {std::move(maker)};
}

}  // namespace

tools::ToolFamily command_tools() {
  return {
      .read = [](settings::SectionReader& tools,
                 tools::ToolsConfig& config) { read_command(tools, config.of<CommandConfig>()); },
      .check =
          [](const tools::ToolsConfig& config) { return validate(config.of<CommandConfig>()); },
      .makers = makers};
}

}  // namespace ba::command
