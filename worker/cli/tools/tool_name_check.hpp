#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether the tools that agents and settings name are there. Needs the list of all tools, so it is
// no part of reading the configuration; nothing is asked. One thread.

#include "worker/config/config.hpp"

namespace ba {

/// Adds an error for each name that no built-in tool has and no configured server of tools can
/// have, and for each tool that can't be used as configured; a warning where only `tools.settings`
/// has the name. A server's own list is known to `doctor` only. What else is wrong with a tool is
/// no matter here, and hides nothing.
void check_tool_names(LoadedConfig& loaded);

}  // namespace ba
