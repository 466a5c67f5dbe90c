#pragma once
// SPDX-License-Identifier: Apache-2.0
// Connects to the configured servers of tools once, for `ba-agent mcp list` and the commands that
// describe a tool of theirs. Blocking; makes its own control thread of the calling one.

#include <vector>

#include "worker/config/config.hpp"
#include "worker/mcp/mcp_report.hpp"

namespace ba {

/// Names are those that a worker's models know.
std::vector<McpServerReport> list_mcp_servers(const LoadedConfig& loaded);

}  // namespace ba
