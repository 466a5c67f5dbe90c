#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools over SQL, files and commands of a configuration, as a worker makes them. One thread.

#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/families.hpp"

namespace ba {

inline Config config_with(const ToolsConfig& tools) {
  Config config;
  config.tools = tools;
  return config;
}

inline Result<BuiltTools> build_tools(const ToolsConfig& tools, Executor& executor) {
  return build_tools(tool_makers(config_with(tools)), tools.settings, {executor});
}

}  // namespace ba
