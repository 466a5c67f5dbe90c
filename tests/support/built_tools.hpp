#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools of a configuration, as a worker makes them that keeps no artifacts. One thread.

#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/command/command_config.hpp"
#include "worker/tools/families.hpp"
#include "worker/tools/files/files_config.hpp"
#include "worker/tools/sql/sql_config.hpp"

namespace ba {

inline Result<tools::BuiltTools> build_tools(const tools::ToolsConfig& tools, Executor& executor) {
  return build_tools(tools::tool_makers(tools, {}), tools.settings, {executor});
}

}  // namespace ba
