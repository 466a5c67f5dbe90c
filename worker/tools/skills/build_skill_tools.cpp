// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/skills/build_skill_tools.hpp"

#include "pipeline/core/skill/deactivate_skill_tool.hpp"
#include "pipeline/core/skill/read_skill.hpp"

namespace ba {
namespace {

template <typename SkillTool, typename Port>
ToolMaker maker_of(std::string_view name, const SkillsConfig& config, Port& port) {
  ToolMaker maker;
  maker.name = name;
  maker.configured = !config.roots.empty();
  maker.setting = "skills.roots";
  maker.make = [&port](const ToolMaker::Adjust& adjust) -> Result<std::unique_ptr<Tool>> {
    auto tool = std::make_unique<SkillTool>(port);
    adjust(tool->descriptor());
    return std::unique_ptr<Tool>(std::move(tool));
  };
  return maker;
}

}  // namespace

std::vector<ToolMaker> skill_makers(const SkillsConfig& config, SkillHost& host,
                                    Executor& executor) {
  return {maker_of<ActivateSkillTool>(kActivateSkillTool, config, host),
          maker_of<DeactivateSkillTool>(kDeactivateSkillTool, config, executor)};
}

}  // namespace ba
