#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tool `execute_command`: a command line in a sandbox (sandbox.hpp), with its exit code and
// output as the result. Where the sandbox can't be had, every call is refused. Control thread only;
// commands are waited for on threads of its own.

#include <memory>
#include <optional>
#include <string>

#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/base/blocking_runs.hpp"
#include "worker/tools/command/command_config.hpp"
#include "worker/tools/command/sandbox.hpp"

namespace ba {

class ExecuteCommand final : public Tool {
 public:
  ExecuteCommand(const CommandConfig& config, Executor& executor);

  const ToolDescriptor& descriptor() const override { return descriptor_; }
  ToolDescriptor& descriptor() { return descriptor_; }  ///< to be changed before registration only

  /// Of files whose names are none for the work directory.
  std::optional<ToolError> refusal(const std::string& parameters) const override;

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override;

 private:
  std::optional<ToolError> too_large(std::int64_t artifact_bytes) const;
  static std::optional<ToolError> too_many(std::size_t scripts);

  CommandConfig config_;
  Sandbox sandbox_;
  ToolDescriptor descriptor_;
  BlockingRuns runs_;  ///< last: its threads end before what they use
};

}  // namespace ba
