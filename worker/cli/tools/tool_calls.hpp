#pragma once
// SPDX-License-Identifier: Apache-2.0
// A call of a tool as the command line has it. Used by commands; one thread.

#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/core/tool/tool_runtime.hpp"
#include "worker/config/config.hpp"

namespace ba {

/// Whose call of which tool, and with what.
struct ToolCallArguments {
  std::string tool;
  std::string args;       ///< JSON; "-": standard input
  std::string args_file;  ///< in its place; "-": standard input
  std::string tenant = "default";
  std::string agent = "default";
  std::optional<PermissionLevel> permission;  ///< none: the agent's
  std::optional<CachePolicy> cache_policy;    ///< none: the tool's
  std::string idempotency_key;
};

/// The request as a job of that tenant and agent would make it, still without arguments. `known`
/// are the built-in tools. InvalidArgument when there is no such agent.
Result<ToolRequest> tool_request(const ToolCallArguments& call, const Config& config,
                                 const ToolRegistry& known);

/// The call's arguments as they were given: in the command, a file or standard input. A matter of
/// usage: longer than a model's may be (`llm.limits.tool_args_bytes_max`), or not in UTF-8.
Result<std::string> given_arguments(const ToolCallArguments& call, std::int64_t bytes_max);

/// "more than 2097152 bytes, …": of arguments that no model can write.
std::string too_long_arguments(std::int64_t bytes_max);

}  // namespace ba
