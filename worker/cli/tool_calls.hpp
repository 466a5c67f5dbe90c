#pragma once
// SPDX-License-Identifier: Apache-2.0
// A call of a tool as the command line has it. Used by commands; one thread.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pipeline/tool/tool_runtime.hpp"
#include "worker/cli/arguments.hpp"
#include "worker/config/config.hpp"

namespace ba {

/// The request as a job of that tenant and agent would make it, still without arguments. `known`
/// are the built-in tools. InvalidArgument when there is no such agent.
Result<ToolRequest> tool_request(const ToolCallArguments& call, const Config& config,
                                 const ToolRegistry& known);

/// Reads a JSON text within limits. InvalidArgument: "not JSON: …".
Result<void> parse_json(const std::string& text, nlohmann::ordered_json& json);

}  // namespace ba
