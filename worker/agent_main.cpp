// SPDX-License-Identifier: Apache-2.0
#include "worker/agent_main.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "worker/cli/run_program.hpp"
#include "worker/runtime/ask_model.hpp"
#include "worker/runtime/ask_tools.hpp"

namespace ba {
namespace {

cli::Terminal::Traits terminal_traits(const config::Environment& environment) {
  cli::Terminal::Traits traits;
  const bool dumb = environment.get("TERM").value_or("dumb") == "dumb";
  traits.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  traits.err_is_terminal = isatty(STDERR_FILENO) == 1 && !dumb;
  traits.colours = !dumb && !environment.get("NO_COLOR");
  return traits;
}

/// A standard stream that was closed before the start would become the descriptor of the next file
/// or socket. What stands in for it refuses every use, so that a lost log line is still counted.
void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    // The lowest free number is this one.
    if (::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream) ::_exit(1);
  }
}

/// Every command reads secrets, so none leaves its memory in a core file or to other processes of
/// its user. A worker may, if it is told so (run_worker).
void keep_memory_private() { ::prctl(PR_SET_DUMPABLE, 0); }

/// A connection or a file each: the soft limit, often 1024, is there for programs that use
/// select().
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);  // as it was, where that is refused
}

}  // namespace

int agent_main(int argc, char** argv, const runtime::Decorators& decorators) {
  keep_memory_private();
  raise_descriptor_limit();
  hold_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe or socket is an error of the write
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file that may not grow
  const config::Environment environment = config::process_environment();
  cli::Terminal terminal(std::cout, std::cerr, terminal_traits(environment));
  cli::ProgramHooks hooks;
  hooks.run_worker = [&](const config::LoadedConfig& loaded) {
    return runtime::run_worker(loaded, decorators);
  };
  hooks.ask_model = runtime::ask_one_model;
  hooks.run_tool = runtime::run_one_tool;
  hooks.list_mcp_servers = runtime::list_mcp_servers;
  return cli::run_program(argc, argv, environment, terminal, hooks);
}

}  // namespace ba
