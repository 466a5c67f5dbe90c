#pragma once
// SPDX-License-Identifier: Apache-2.0
// `execute_command`. Any thread.

#include "worker/tools/base/tool_family.hpp"

namespace ba::command {

/// Without a sandbox the tool is there all the same: a model that calls it hears why.
tools::ToolFamily command_tools();

}  // namespace ba::command
