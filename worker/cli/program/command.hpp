#pragma once
// SPDX-License-Identifier: Apache-2.0
// A command of the program, which describes itself: its name, its help, its arguments, what it
// needs, and what it does. The function of its file makes it; command_list() holds it. Also what a
// command works with, which run_program() makes and keeps while the command runs. Values; one
// thread.

#include <any>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "pipeline/base/error.hpp"
#include "worker/cli/program/needs.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/config/config.hpp"
#include "worker/mcp/mcp_report.hpp"

namespace CLI {
class App;
}

namespace ba::cli {

/// What the runtime does for commands; given by main, so that this library knows no runtime. An
/// empty function: this program can't do it.
struct ProgramHooks {
  /// Its error, which it has told, says why it could not start.
  std::function<Result<void>(const config::LoadedConfig&)> run_worker;
  /// One small question to a configured model; the value is "provider/model: its answer".
  std::function<Result<std::string>(const config::LoadedConfig&, const std::string& model)>
      ask_model;
  /// One call of a tool, to its end.
  std::function<Result<ToolResult>(const config::LoadedConfig&, const ToolRequest&)> run_tool;
  /// Connects to the configured servers of tools and tells what they have.
  std::function<std::vector<mcp::McpServerReport>(const config::LoadedConfig&)> list_mcp_servers;
};

/// Not the session of a connection to PostgreSQL, which is `Session`.
struct CliSession {
  const config::LoadedConfig& loaded;
  Terminal& terminal;
  const ProgramHooks& hooks;
  std::optional<storage::PgAccess> database =
      std::nullopt;  ///< there if the command needs it first
  std::optional<kafka::KafkaOptions> broker = std::nullopt;  ///< the same

  const config::Config& config() const { return loaded.config; }
};

/// What a person reads of a command. `name` has the words of the line: "job list".
struct CommandDescription {
  std::string name;
  std::string summary;     ///< one line, without a full stop
  std::string notes = "";  ///< more lines, for the command's own help
  std::string examples;    ///< a line each, indented by two
  Needs needs = kNeedsConfiguration;
  bool logs_to_output = false;  ///< its standard output is a log, which copes with a lost line
};

struct Command {
  CommandDescription about;
  /// Adds the arguments to the grammar. The answer holds what a line gives for them, once read.
  std::function<std::any(CLI::App&)> declare;
  /// Works with that answer until it is done, and answers with an exit code.
  std::function<int(const std::any&, const CliSession&)> run;

  /// Has no work of its own: "job" of "job list".
  bool is_group() const { return !run; }
};

struct NoArguments {};
inline void declare_nothing(CLI::App&, NoArguments&) {}

/// A command whose arguments are an A. `declare` binds the grammar to its fields; the object stays
/// where it is, so that callbacks may refer to it.
template <typename A>
Command command(CommandDescription about, void (*declare)(CLI::App&, A&),
                int (*run)(const A&, const CliSession&)) {
  using Held = std::shared_ptr<A>;  // by the parsed line, and by callbacks while it is read
  return {std::move(about),
          [declare](CLI::App& app) {
            auto arguments = std::make_shared<A>();
            declare(app, *arguments);
            return std::any(Held(std::move(arguments)));
          },
          [run](const std::any& arguments, const CliSession& session) {
            return run(*std::any_cast<const Held&>(arguments), session);
          }};
}

}  // namespace ba::cli
