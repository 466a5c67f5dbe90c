#pragma once
// SPDX-License-Identifier: Apache-2.0
// `tools.settings.NAME`: what can be set for any tool. A function over values of
// its caller; any thread.

#include "worker/tools/base/tool_settings.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

/// `tools`: the section around it.
void read_tool_settings(settings::SectionReader& tools, ToolSettingsByName& settings);

}  // namespace ba
