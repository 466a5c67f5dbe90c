#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether the tools that agents name are there. Needs the list of all tools, so it is no part of
// reading the configuration; nothing is asked. One thread.

#include "worker/config/config.hpp"

namespace ba {

/// Adds an error for each name that no built-in tool has and no configured server of tools can
/// have, and for each tool that can't be used as configured. A server's own list is known to
/// `doctor` only.
void check_agent_tools(LoadedConfig& loaded);

}  // namespace ba
