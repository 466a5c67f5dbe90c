#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs a command line in a sandbox (bubblewrap): own namespaces for users, processes, network, IPC
// and host name; read-only /usr, private /tmp and work directory in memory, a /dev of five devices,
// nobody inside and outside (a root worker becomes nobody first), no capabilities, the system
// calls of sandbox_filter() only, and the limits of CommandConfig. There is no way to run a
// command without all of it. Owned by the tool; run() from any thread, it blocks.

#include <cstdint>
#include <map>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "worker/tools/base/cancellation.hpp"
#include "worker/tools/command/command_config.hpp"

namespace ba::command {

struct SandboxOrder {
  std::string command;                       ///< for /bin/sh -c
  std::string input;                         ///< what it reads on its standard input
  std::map<std::string, std::string> files;  ///< name to content, in its work directory
  std::map<std::string, std::string>
      scripts;  ///< the same of read-only ones, below kScriptsDirectory
  Milliseconds timeout{10000};
};

/// Why a command is over.
enum class SandboxEnd { Exited, Timeout, OutputLimit, MemoryLimit, FilesLimit, Cancelled };

struct SandboxOutcome {
  SandboxEnd end = SandboxEnd::Exited;
  int exit_code = 0;  ///< of Exited; a command that a signal killed has 128 and its number, as the
                      ///< shell and bubblewrap say it
  std::string out;    ///< as it was written: any bytes, at most output_bytes_max of them
  std::string err;
  Milliseconds duration{0};
  Milliseconds cpu{0};                 ///< of all its processes
  std::int64_t memory_peak_bytes = 0;  ///< of all its processes together, every 25 ms
};

class Sandbox {
 public:
  explicit Sandbox(CommandConfig config);

  /// When it returns no process of the command is left. Unavailable where there is no sandbox, for
  /// the log: the reason and what to do.
  Result<SandboxOutcome> run(const SandboxOrder& order,
                             const tools::Cancellation& cancellation) const;

  /// Runs `true`.
  Result<void> self_test() const;

 private:
  CommandConfig config_;
  Result<std::string> filter_;  ///< without it, nothing runs
};

}  // namespace ba::command
