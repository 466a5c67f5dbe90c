#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs the tool calls of a model: looks the tool up, checks permission and arguments, runs it with
// a timeout, retries what may be retried, asks a reconcilable tool what became of a run whose
// answer was lost, and turns whatever comes back into one observation. Every call ends in a
// ToolResult; no error of a tool goes any other way. Knows nothing of the ledger, where a call that
// may have an effect is recorded as started before run(). Owned by the process, used on the control
// thread only.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/port/random.hpp"
#include "pipeline/core/tool/artifact_store.hpp"
#include "pipeline/core/tool/byte_budget.hpp"
#include "pipeline/core/tool/call_gate.hpp"
#include "pipeline/core/tool/result_cache.hpp"
#include "pipeline/core/tool/retry_policy.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "pipeline/core/tool/tool_request.hpp"
#include "pipeline/text/encoding/encoding.hpp"
#include "pipeline/text/message/message.hpp"
#include "pipeline/text/message/token_estimate.hpp"
#include "pipeline/text/semantic/semantic_parameters.hpp"

namespace ba {

/// Puts what the agent has set for calls of `request.call`'s tool into the request.
void apply_call_settings(const ToolCallSettings& settings, ToolRequest& request);

/// What was found out before, and who reads SQL for its keys. Both outlive the runtime.
struct ToolMemory {
  ResultCache& cache;
  const SqlReader& sql;
};

/// Where large results are put. The store outlives the runtime.
struct ToolArtifacts {
  ArtifactStore& store;
  std::int64_t bytes_max = 64LL << 20;        ///< a larger one isn't stored
  std::int64_t read_bytes_max = 256LL << 20;  ///< of large ones that calls are given, at once
};

class ToolRuntime {
 public:
  /// All references outlive the runtime and every run.
  ToolRuntime(const ToolRegistry& registry, ToolRuntimeConfig config, const Clock& clock,
              Executor& executor, Random& random);

  /// From now on results are kept and given again, as the tools and calls allow.
  void remember(ToolMemory memory) { memory_.emplace(memory); }

  /// From now on large results, and those that a call asked for at FULL, become artifacts.
  void keep_artifacts(ToolArtifacts artifacts) {
    artifacts_.emplace(artifacts);
    artifact_reads_.emplace(artifacts.read_bytes_max);
  }

  /// Runs the call and answers once through `done`, never from inside this call. Destroying the
  /// run cancels the work: no answer comes after that.
  [[nodiscard]] std::unique_ptr<ToolRun> run(ToolRequest request,
                                             std::function<void(ToolResult)> done);

  /// Null when there is no such tool.
  const ToolDescriptor* descriptor(std::string_view tool_name) const;

  /// What a model is offered; sorted by name.
  std::vector<ToolSpec> specs(const AllowedTools& allowed) const;

 private:
  const ToolRegistry& registry_;
  ToolRuntimeConfig config_;
  const Clock& clock_;
  Executor& executor_;
  Random& random_;
  std::optional<ToolMemory> memory_;
  std::optional<ToolArtifacts> artifacts_;
  std::optional<ByteBudget> artifact_reads_;
  CallGates gates_;
};

}  // namespace ba
