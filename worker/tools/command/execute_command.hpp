// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tool `execute_command`: a command line in a sandbox (sandbox.hpp), with its exit code and
// output as the result. Where the sandbox can't be had, every call is refused. Control thread only;
// commands are waited for on threads of its own.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/base/time.hpp"
#include "worker/tools/base/blocking_runs.hpp"
#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/command/command_config.hpp"
#include "worker/tools/command/sandbox.hpp"

namespace ba::command {

class ExecuteCommand final : public tools::DescribedTool {
 public:
  ExecuteCommand(const CommandConfig& config, Executor& executor);

  /// Of files whose names are none for the work directory.
  std::optional<ToolError> refusal(const std::string& parameters) const override;

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override;

 private:
  std::optional<ToolError> too_large(std::int64_t artifact_bytes) const;
  static std::optional<ToolError> too_many(std::size_t scripts);

  CommandConfig config_;
  Sandbox sandbox_;
  tools::BlockingRuns runs_;  ///< last: its threads end before what they use
};

/// What a model gets of a command that is over: a JSON object: `ended` (exit, signal, timeout,
/// output_limit, memory_limit, files_limit, cancelled), `exit_code` and `signal` where there are
/// such, a note on what isn't plain, both outputs as UTF-8, and the times. A signal is told by an
/// exit code of 128 and its number: that is all that the shell and bubblewrap say, also of a
/// program that exits like this by itself. `waited`: for its turn.
std::string command_answer(SandboxOutcome outcome, Milliseconds waited);

/// And telemetry: cpu_ms, cpu_percent (of one processor), memory_peak_mb, queue_wait_ms.
std::map<std::string, double> command_metrics(const SandboxOutcome& outcome, Milliseconds waited);

}  // namespace ba::command
