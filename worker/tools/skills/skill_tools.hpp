#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools `activate_skill` and `deactivate_skill`. Any thread.

#include "worker/tools/base/tool_family.hpp"

namespace ba::skills {

tools::ToolFamily skill_tools();

}  // namespace ba::skills
