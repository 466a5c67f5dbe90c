#pragma once
// SPDX-License-Identifier: Apache-2.0
// Every family of built-in tools: one list for the worker and for the commands that run or describe
// tools. Any thread.

#include <vector>

#include "worker/config/config.hpp"
#include "worker/tools/base/tool_maker.hpp"

namespace ba {

/// Of all tools that there may be, as they are configured; for build_tools().
std::vector<ToolMaker> tool_makers(const Config& config);

}  // namespace ba
