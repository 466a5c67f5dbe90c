#pragma once
// SPDX-License-Identifier: Apache-2.0
// Every family of built-in tools: one list for the configuration, the worker and the commands that
// run or describe tools. Any thread.

#include <vector>

#include "worker/tools/base/tool_family.hpp"

namespace ba::tools {

const std::vector<ToolFamily>& tool_families();

/// Of all tools that there may be, as they are configured; for build_tools().
std::vector<ToolMaker> tool_makers(const ToolsConfig& config, const ToolBasis& basis);

/// What no field alone can tell: names, paths, what belongs together. Looks at the values alone:
/// neither a database nor the file system is asked.
std::vector<SettingProblem> validate(const ToolsConfig& config);

}  // namespace ba::tools
