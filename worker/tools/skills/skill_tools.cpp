// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/skills/skill_tools.hpp"

#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/core/skill/read_skill.hpp"
#include "pipeline/core/skill/skill_meta_tools.hpp"
#include "worker/tools/skills/skills_config.hpp"

namespace ba::skills {
namespace {

std::vector<tools::ToolMaker> makers(const tools::ToolsConfig& config, const tools::ToolBasis&) {
  const bool configured = !config.of<SkillsConfig>().roots.empty();
  tools::ToolMaker activate{std::string(kActivateSkillTool), "skills.roots", configured, {}};
  activate.make = [](const tools::ToolMaking& making) -> Result<tools::MadeTool> {
    BA_ASSERT(making.ports.skills != nullptr);
    return std::make_unique<ActivateSkillTool>(*making.ports.skills);
  };
  tools::ToolMaker deactivate{std::string(kDeactivateSkillTool), "skills.roots", configured, {}};
  deactivate.make = [](const tools::ToolMaking& making) -> Result<tools::MadeTool> {
    return std::make_unique<DeactivateSkillTool>(making.ports.executor);
  };
  return {std::move(activate), std::move(deactivate)};
}

}  // namespace

tools::ToolFamily skill_tools() {
  return {.read_beside =
              [](settings::SectionReader& root, tools::ToolsConfig& config) {
                root.section("skills", [&](settings::SectionReader& in) {
                  read_skills(in, config.of<SkillsConfig>());
                });
              },
          .makers = makers};
}

}  // namespace ba::skills
