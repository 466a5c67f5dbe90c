#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `mcp` of the configuration, and the top-level map `mcpServers` in the form that other
// clients use. Called by load_config().

#include "worker/mcp/mcp_config.hpp"
#include "worker/settings/section_reader.hpp"

namespace ba {

void read_mcp(settings::SectionReader& in, McpConfig& mcp);

/// The root's `mcpServers`, where it is given: its servers are added to those of `mcp`.
void read_mcp_servers(settings::SectionReader& root, McpConfig& mcp);

}  // namespace ba
