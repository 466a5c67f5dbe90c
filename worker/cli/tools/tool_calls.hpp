#pragma once
// SPDX-License-Identifier: Apache-2.0
// A call of a tool as the command line has it. Used by commands; one thread.

#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/core/skill/read_skill.hpp"
#include "pipeline/core/tool/tool_runtime.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/config/config.hpp"

namespace ba::cli {

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
Result<ToolRequest> tool_request(const ToolCallArguments& call, const config::Config& config,
                                 const ToolRegistry& known);

/// The call's arguments as they were given: in the command, a file or standard input. A matter of
/// usage: longer than a model's may be (`llm.limits.tool_args_bytes_max`), or not in UTF-8.
Result<std::string> given_arguments(const ToolCallArguments& call, std::int64_t bytes_max);

/// "more than 2097152 bytes, …": of arguments that no model can write.
std::string too_long_arguments(std::int64_t bytes_max);

// The arguments of a command that is about one call of a tool. For `tool explain` and `tool run`;
// nobody else includes it.

inline constexpr const char* kNoCallArguments =
    "args (the arguments as JSON, or -), or --args-file";

/// What the tool is given; one of the two holds that.
struct GivenArguments {
  CLI::Option* text = nullptr;
  CLI::Option* file = nullptr;

  bool any() const { return text->count() > 0 || file->count() > 0; }
};

GivenArguments declare_call(CLI::App& app, ToolCallArguments& call, const char* about_args);

/// Whom a call names that its tool asks for: a sub-agent, a skill. Whether there is one, and the
/// caller may have it, is said by the configuration and the skills' directories. Used by commands;
/// one thread.
class CallTargets {
 public:
  /// Of calls of the request's tool, agent and tenant. Reads the skills' directories where that is
  /// the tool.
  CallTargets(const config::Config& config, const ToolRequest& request);

  /// What the tool itself would answer; none: it knows whom the call names, or the call names
  /// nobody. The arguments fit the tool's schema.
  std::optional<ToolError> refusal(const std::string& args_json) const;

 private:
  const config::Config& config_;
  const std::string tool_;
  const std::string agent_;
  JobSkills skills_;  ///< what a job would be offered
};

}  // namespace ba::cli
