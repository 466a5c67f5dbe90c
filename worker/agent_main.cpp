// SPDX-License-Identifier: Apache-2.0
#include "worker/agent_main.hpp"

#include <unistd.h>

#include <csignal>
#include <iostream>

#include "worker/cli/program.hpp"
#include "worker/runtime/ask_model.hpp"

namespace ba {
namespace {

Terminal::Traits terminal_traits(const Environment& environment) {
  Terminal::Traits traits;
  const bool dumb = environment.get("TERM").value_or("dumb") == "dumb";
  traits.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  traits.err_is_terminal = isatty(STDERR_FILENO) == 1 && !dumb;
  traits.colours = !dumb && !environment.get("NO_COLOR");
  return traits;
}

}  // namespace

int agent_main(int argc, char** argv, const Decorators& decorators) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe or socket is an error of the write
  const Environment environment = process_environment();
  Terminal terminal(std::cout, std::cerr, terminal_traits(environment));
  ProgramHooks hooks;
  hooks.run_worker = [&](const LoadedConfig& loaded) { return run_worker(loaded, decorators); };
  hooks.ask_model = ask_default_model;
  return run_program(argc, argv, environment, terminal, hooks);
}

}  // namespace ba
