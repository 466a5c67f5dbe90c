#pragma once
// SPDX-License-Identifier: Apache-2.0
// What commands do with tools, each on an executor of its own: one call, and the lists of servers.
// Blocks.

#include <vector>

#include "pipeline/core/tool/tool_runtime.hpp"
#include "worker/config/config.hpp"
#include "worker/mcp/mcp_report.hpp"

namespace ba::runtime {

/// Runs it to its end, with retries and with kept results where the configuration names a database.
/// The error is that of a configuration or a database that can't be used; a tool's own is in its
/// result. Texts that hold one of the configuration's secrets come without it.
Result<ToolResult> run_one_tool(const config::LoadedConfig& loaded, const ToolRequest& request);

/// Names are those that a worker's models know.
std::vector<mcp::McpServerReport> list_mcp_servers(const config::LoadedConfig& loaded);

}  // namespace ba::runtime
