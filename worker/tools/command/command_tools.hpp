#pragma once
// SPDX-License-Identifier: Apache-2.0
// `execute_command`, for build_tools(). Any thread.

#include <vector>

#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/command/command_config.hpp"

namespace ba {

/// Without a sandbox the tool is there all the same: a model that calls it hears why.
std::vector<ToolMaker> command_tools(const CommandConfig& command);

}  // namespace ba
