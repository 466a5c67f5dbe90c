// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program.hpp"

#include <exception>
#include <ostream>

#include "worker/cli/commands.hpp"
#include "worker/cli/parse_arguments.hpp"

namespace ba {
namespace {

/// Calls the function of the command that was chosen.
struct Dispatch {
  const Session& session;

  int operator()(const WorkerArguments&) const {
    return session.hooks.run_worker ? session.hooks.run_worker(session.loaded) : no_runtime();
  }
  int operator()(const MigrateArguments& a) const { return migrate_command(a, session); }
  int operator()(const TopicsArguments& a) const { return topics_command(a, session); }
  int operator()(const SubmitArguments& a) const { return submit_command(a, session); }
  int operator()(const ShowArguments& a) const { return show_command(a, session); }
  int operator()(const ResultsArguments& a) const { return results_command(a, session); }
  int operator()(const DoctorArguments& a) const { return doctor_command(a, session); }
  int operator()(const ConfigCheckArguments& a) const { return config_check_command(a, session); }
  int operator()(const ConfigPrintArguments& a) const { return config_print_command(a, session); }
  int operator()(const VersionArguments& a) const { return version_command(a, session); }

  int no_runtime() const {
    session.terminal.failure("this program was built without what runs jobs");
    return kExitFailed;
  }
};

/// Commands that look at a wrong configuration rather than work with it.
bool bears_wrong_configuration(const CommandArguments& command) {
  return std::holds_alternative<ConfigCheckArguments>(command) ||
         std::holds_alternative<ConfigPrintArguments>(command) ||
         std::holds_alternative<DoctorArguments>(command) ||
         std::holds_alternative<VersionArguments>(command);
}

}  // namespace

int run_program(int argc, const char* const* argv, const Environment& environment,
                Terminal& terminal, const ProgramHooks& hooks) {
  auto parsed = parse_arguments(argc, argv);
  if (const auto* nothing = std::get_if<NothingToRun>(&parsed)) {
    terminal.out() << nothing->out;
    terminal.err() << nothing->err;
    return nothing->exit_code;
  }
  const Arguments& arguments = std::get<Arguments>(parsed);
  const LoadedConfig loaded =
      load_config({arguments.config_file, environment, arguments.overrides});
  terminal.hide(loaded.findings.secrets);
  if (!loaded.usable() && !bears_wrong_configuration(arguments.command)) {
    for (const std::string& error : loaded.findings.errors) terminal.failure(printable(error));
    return kExitConfiguration;
  }
  const Session session{loaded, terminal, hooks};
  try {
    return std::visit(Dispatch{session}, arguments.command);
  } catch (const std::exception& error) {
    terminal.failure(std::string("internal error: ") + error.what());
    return kExitFailed;
  }
}

}  // namespace ba
