#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `tools` into the tools' own configuration.

#include "worker/tools/tools_config.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

void read_tools(settings::SectionReader& in, ToolsConfig& tools);

}  // namespace ba
