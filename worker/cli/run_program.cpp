// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/run_program.hpp"

#include <cerrno>
#include <cstring>
#include <exception>
#include <ostream>

#include "worker/cli/program/parse_arguments.hpp"
#include "worker/cli/tools/tool_catalogue.hpp"
#include "worker/config/load_config.hpp"

namespace ba::cli {
namespace {

/// Gives the session the servers that the command needs before it runs.
Result<void> look_for_servers(const Needs& needs, CliSession& session) {
  if (needs.later) return {};
  if (needs.database) {
    auto access = needs.schema ? ledger_of(session.config()) : postgres_of(session.config());
    if (!access) return access.error();
    session.database = std::move(*access);
  }
  if (needs.broker) {
    auto options = kafka_of(session.config());
    if (!options) return options.error();
    session.broker = std::move(*options);
  }
  return {};
}

/// The exit code, once all output has left; a failure where it could not (a full disk).
int written(Terminal& terminal, int code) {
  errno = 0;
  if (terminal.out().flush()) return code;
  const std::string why = errno != 0 ? std::string(": ") + std::strerror(errno) : std::string();
  terminal.failure("can't write to standard output" + why);
  return code == kExitOk ? static_cast<int>(kExitFailed) : code;
}

}  // namespace

int run_program(int argc, const char* const* argv, const config::Environment& environment,
                Terminal& terminal, const ProgramHooks& hooks) {
  const std::vector<Command> commands = command_list();
  auto parsed = parse_arguments(commands, argc, argv);
  if (const auto* nothing = std::get_if<NothingToRun>(&parsed)) {
    terminal.out() << nothing->out;
    terminal.err() << nothing->err;
    return written(terminal, nothing->exit_code);
  }
  const CommandLine& line = std::get<CommandLine>(parsed);
  config::LoadedConfig loaded =
      config::load_config({line.config_file, environment, line.overrides});
  check_tool_names(loaded);
  terminal.hide(loaded.findings.secrets);
  const Needs& needs = line.command->about.needs;
  if (!loaded.usable() && needs.configuration) {
    for (const std::string& error : loaded.findings.errors()) terminal.failure(printable(error));
    return kExitConfiguration;
  }
  CliSession session{loaded, terminal, hooks};
  try {
    if (const auto there = look_for_servers(needs, session); !there)
      return terminal.fail(there.error());
    const int code = line.command->run(line.arguments, session);
    return line.command->about.logs_to_output ? code : written(terminal, code);
  } catch (const std::exception& error) {
    terminal.failure(std::string("internal error: ") + error.what());
    return kExitFailed;
  }
}

}  // namespace ba::cli
