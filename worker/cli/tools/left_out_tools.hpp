#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which tools models can't be offered, found without a worker: for commands. One thread.

#include <functional>
#include <string>
#include <vector>

#include "pipeline/core/model/tool_offers.hpp"
#include "worker/config/config.hpp"
#include "worker/mcp/mcp_report.hpp"

namespace ba {

struct AgentTools {
  std::string agent;
  std::string model;
  ToolOffer offer;
};

/// Of each agent whose model is configured, with its own model. What its list names and nobody has
/// is passed over: other checks tell of it. `list` connects to the servers of tools; empty: without
/// theirs.
std::vector<AgentTools> tools_of_agents(
    const LoadedConfig& loaded,
    const std::function<std::vector<McpServerReport>(const LoadedConfig&)>& list);

/// The configured models that can't be offered the tool, whoever's it is.
std::vector<LeftOutTool> left_out_of(const ToolDescriptor& tool, const LlmConfig& models);

}  // namespace ba
