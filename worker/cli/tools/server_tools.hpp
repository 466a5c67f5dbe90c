#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools of a configuration with those that its servers of tools list, to be looked at (a
// command connects to the servers for as long as their lists take), and which of them models can't
// be offered, found without a worker. Used by commands; one thread.

#include <functional>
#include <string>
#include <vector>

#include "pipeline/core/model/tool_offers.hpp"
#include "worker/cli/program/command.hpp"
#include "worker/cli/tools/tool_catalogue.hpp"
#include "worker/config/config.hpp"
#include "worker/mcp/mcp_report.hpp"

namespace ba::cli {

/// With the tools of the server that the name may belong to; nobody is asked for the name of a
/// configured built-in tool. Unavailable, naming the server, where only that could tell. Why a
/// server's tool isn't offered is told.
Result<ToolCatalogue> catalogue_with(const std::string& tool, const CliSession& session);

/// With the tools of every server; `all_up` says whether each was reached, which is told.
struct FullCatalogue {
  ToolCatalogue catalogue;
  bool all_up = true;
};
Result<FullCatalogue> catalogue_with_all(const CliSession& session);

struct AgentTools {
  std::string agent;
  std::string model;
  ToolOffer offer;
};

/// Of each agent whose model is configured, with its own model. What its list names and nobody has
/// is passed over: other checks tell of it. `list` connects to the servers of tools; empty: without
/// theirs.
std::vector<AgentTools> tools_of_agents(
    const config::LoadedConfig& loaded,
    const std::function<std::vector<mcp::McpServerReport>(const config::LoadedConfig&)>& list);

/// The configured models that can't be offered the tool, whoever's it is.
std::vector<LeftOutTool> left_out_of(const ToolDescriptor& tool, const llm::LlmConfig& models);

}  // namespace ba::cli
