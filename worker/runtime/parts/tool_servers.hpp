#pragma once
// SPDX-License-Identifier: Apache-2.0
// The servers of tools that a configuration names, connected. Control thread only.

#include <functional>
#include <memory>

#include "worker/mcp/mcp_servers.hpp"
#include "worker/runtime/parts/process_parts.hpp"

namespace ba {

/// Waits for the servers as long as each may take. One that is down is not waited for: its tools
/// come when it does. `add_tool` and `on_tools_added`: as McpPorts has them. Borrows all.
std::unique_ptr<mcp::McpServers> connect_tool_servers(
    const McpConfig& config, ProcessParts& process, Log& log,
    std::function<Result<bool>(MadeTool)> add_tool, std::function<void()> on_tools_added = [] {});

/// Ends their connections in good order; the last that a command does on its executor.
void disconnect(mcp::McpServers& servers, ProcessParts& process);

}  // namespace ba
