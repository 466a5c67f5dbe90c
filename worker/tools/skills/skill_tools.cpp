// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/skills/skill_tools.hpp"

#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/core/skill/read_skill.hpp"
#include "pipeline/core/skill/skill_meta_tools.hpp"

namespace ba {

std::vector<ToolMaker> skill_tools(const SkillsConfig& config) {
  const bool configured = !config.roots.empty();
  ToolMaker activate{std::string(kActivateSkillTool), "skills.roots", configured, {}};
  activate.make = [](const ToolMaking& making) -> Result<MadeTool> {
    BA_ASSERT(making.ports.skills != nullptr);
    return std::make_unique<ActivateSkillTool>(*making.ports.skills);
  };
  ToolMaker deactivate{std::string(kDeactivateSkillTool), "skills.roots", configured, {}};
  deactivate.make = [](const ToolMaking& making) -> Result<MadeTool> {
    return std::make_unique<DeactivateSkillTool>(making.ports.executor);
  };
  return {std::move(activate), std::move(deactivate)};
}

}  // namespace ba
