#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a command works with. Made by run_program(), valid while a command runs.

#include <functional>
#include <optional>
#include <string>

#include "pipeline/base/error.hpp"
#include "worker/cli/program/exit_code.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/config/config.hpp"
#include "worker/mcp/mcp_report.hpp"

namespace ba {

/// What the runtime does for commands; given by main, so that this library knows no runtime. An
/// empty function: this program can't do it.
struct ProgramHooks {
  /// Its error, which it has told, says why it could not start.
  std::function<Result<void>(const LoadedConfig&)> run_worker;
  /// One small question to a configured model; the value is "provider/model: its answer".
  std::function<Result<std::string>(const LoadedConfig&, const std::string& model)> ask_model;
  /// One call of a tool, to its end.
  std::function<Result<ToolResult>(const LoadedConfig&, const ToolRequest&)> run_tool;
  /// Connects to the configured servers of tools and tells what they have.
  std::function<std::vector<McpServerReport>(const LoadedConfig&)> list_mcp_servers;
};

/// Not the session of a connection to PostgreSQL, which is `Session`.
struct CliSession {
  const LoadedConfig& loaded;
  Terminal& terminal;
  const ProgramHooks& hooks;
  std::optional<PgAccess> database = std::nullopt;    ///< there if the command needs it first
  std::optional<KafkaOptions> broker = std::nullopt;  ///< the same

  const Config& config() const { return loaded.config; }
};

}  // namespace ba
