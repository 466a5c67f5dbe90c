// SPDX-License-Identifier: Apache-2.0
// The program: wires the parts together. Everything else is in a library that a test can call.

#include <unistd.h>

#include <csignal>
#include <iostream>

#include "worker/cli/program.hpp"

namespace {

ba::Terminal::Traits terminal_traits(const ba::Environment& environment) {
  ba::Terminal::Traits traits;
  const bool dumb = environment.get("TERM").value_or("dumb") == "dumb";
  traits.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  traits.err_is_terminal = isatty(STDERR_FILENO) == 1 && !dumb;
  traits.colours = !dumb && !environment.get("NO_COLOR");
  return traits;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe or socket is an error of the write
  const ba::Environment environment = ba::process_environment();
  ba::Terminal terminal(std::cout, std::cerr, terminal_traits(environment));
  const ba::ProgramHooks hooks;
  return ba::run_program(argc, argv, environment, terminal, hooks);
}
