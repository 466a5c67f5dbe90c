#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools `activate_skill` and `deactivate_skill`, for build_tools: there where skills are
// configured.

#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/skill/activate_skill_tool.hpp"
#include "worker/config/skills_section.hpp"
#include "worker/tools/build_tools.hpp"

namespace ba {

/// Host and executor outlive the tools.
std::vector<ToolMaker> skill_makers(const SkillsConfig& config, SkillHost& host,
                                    Executor& executor);

}  // namespace ba
