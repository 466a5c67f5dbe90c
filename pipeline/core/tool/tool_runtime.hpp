#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs the tool calls of a model: looks the tool up, checks permission and arguments, runs it with
// a timeout, retries what may be retried, asks a reconcilable tool what became of a run whose
// answer was lost, and turns whatever comes back into one observation. Every call ends in a
// ToolResult; no error of a tool goes any other way. Knows nothing of the ledger, where a call that
// may have an effect is recorded as started before run(). Owned by the process, used on the control
// thread only.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/port/random.hpp"
#include "pipeline/core/tool/artifact_store.hpp"
#include "pipeline/core/tool/byte_budget.hpp"
#include "pipeline/core/tool/call_gate.hpp"
#include "pipeline/core/tool/call_settings.hpp"
#include "pipeline/core/tool/registry.hpp"
#include "pipeline/core/tool/result_cache.hpp"
#include "pipeline/core/tool/retry_policy.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "pipeline/text/encoding/encoding.hpp"
#include "pipeline/text/message/message.hpp"
#include "pipeline/text/message/token_estimate.hpp"
#include "pipeline/text/semantic/semantic_parameters.hpp"

namespace ba {

/// Section `tools` of the configuration, as far as it holds for every tool.
struct ToolRuntimeConfig {
  OutputLevel output_level = OutputLevel::Standard;  ///< the global default; of readers it is FULL
  int brief_above_window_percent = 80;               ///< BRIEF when more of the window is used
  int max_input_mb = 10;                             ///< of arguments, as JSON
  std::int64_t observation_bytes_max = 256 * 1024;   ///< what is longer is cut, with a marker
  std::int64_t inline_full_max_bytes = 16 * 1024;    ///< of text at FULL; more is shown in part
  std::int64_t preview_bytes = 4 * 1024;             ///< of such a part
  std::optional<DataEncoding> encoding;  ///< of all results; none: JSON, and `auto` of readers
  bool stable_prefix = false;            ///< see ResultFormat
  ToolRetryPolicy retry;
  GateTable gates;  ///< of tools and data sources

  friend bool operator==(const ToolRuntimeConfig&, const ToolRuntimeConfig&) = default;
};

/// A try that failed, and the one that comes after a wait.
struct ToolRetry {
  int tries = 0;                   ///< so far
  std::optional<ToolError> error;  ///< of the last; none: its outcome is unknown
  Milliseconds delay{0};
  Milliseconds timeout{0};  ///< of the next try
};

/// One call with everything that decides about it.
struct ToolRequest {
  ToolCall call;  ///< as the model sent it, valid or not
  TenantId tenant;
  std::string caller_id;  ///< agent or skill
  PermissionLevel permission = PermissionLevel::Default;
  AllowedTools allowed;  ///< the tools of this agent, job and active skill
  /// What the call may name as its data source, each with the parameter: "data_source:sales".
  /// None: every one.
  std::optional<std::set<std::string>> data_sources;
  LedgerJobId job;
  Position position;
  std::string idempotency_key;              ///< names the call on every attempt and worker
  std::string given_key;                    ///< by the caller; stands for what the call means
  std::optional<CachePolicy> cache_policy;  ///< of this call; none: the tool's
  std::optional<OutputLevel> tool_level;    ///< the agent's of this tool; none: the tool's
  std::optional<OutputLevel> agent_level;   ///< stands for the global default, where given
  std::optional<Milliseconds> timeout;      ///< of its first try; none: the tool's
  bool retry_on_timeout = true;             ///< false, here or in the descriptor: not retried
  std::vector<std::shared_ptr<const Skill>> active_skills;  ///< see ToolInvocation
  std::string skill;            ///< the newest of them, for the telemetry; empty: none is active
  std::string activation_id;    ///< its activation
  double window_used = 0.0;     ///< share of the model's context window in use, 0 to 1
  bool maybe_done = false;      ///< an earlier attempt started it and told no outcome
  std::string begun_version;    ///< of the tool when that attempt had it; empty: as it is now
  bool reads_artifacts = true;  ///< false: no tool that it may call does; no id is told
  bool uncut = false;  ///< a person reads it: at level FULL, observation_bytes_max is no limit
  /// Asked before each try and each question for a status, however long the call has waited before:
  /// false, and nothing more is asked of the tool, nor is there a result. Whoever says so drops the
  /// run, but not from inside. Empty: always.
  std::function<bool()> may_go_on;
  std::function<void(const ToolRetry&)> retrying;  ///< told before each wait; may be empty
  CountTokens count_tokens = estimated_tokens;     ///< for the telemetry
};

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
