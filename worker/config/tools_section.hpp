#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `tools` into the own configuration of the tools and of the runtime that calls them.

#include "pipeline/core/tool/tool_runtime.hpp"
#include "worker/tools/tools_config.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

/// What the tools are, and how the runtime calls any of them.
void read_tools(settings::SectionReader& in, ToolsConfig& tools, ToolRuntimeConfig& runtime);

}  // namespace ba
