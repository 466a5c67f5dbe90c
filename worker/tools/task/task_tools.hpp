#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tool `task` (pipeline/core/sub_agent): there where some agent has sub-agents. Any thread.

#include "worker/tools/base/tool_family.hpp"

namespace ba::task {

tools::ToolFamily task_tools();

}  // namespace ba::task
