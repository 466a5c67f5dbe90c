#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools `activate_skill` and `deactivate_skill`, for build_tools(). Any thread.

#include <vector>

#include "worker/config/skills_section.hpp"
#include "worker/tools/base/tool_maker.hpp"

namespace ba {

std::vector<ToolMaker> skill_tools(const SkillsConfig& config);

}  // namespace ba
