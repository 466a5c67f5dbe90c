#pragma once
// SPDX-License-Identifier: Apache-2.0
// One call, from the checks to its result: at most max_retries + 1 tries of the tool, one at a
// time, each with its own timer. Owned by whoever asked for it; control thread only.
//
// The result of a tool with effects says "failed" only where no run of this call can have had its
// effect. A run whose answer was lost, now or before a crash, leaves the call in doubt; in doubt, a
// keyed tool is run again with the same key, a reconcilable one is asked what happened, and where
// neither brings certainty the result is Unknown.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "pipeline/core/tool/admission.hpp"
#include "pipeline/core/tool/artifact_arguments.hpp"
#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/core/tool/result_cache.hpp"

namespace ba {

/// What a run works with; all of it outlives the run.
struct CallRunPorts {
  const ToolRegistry& registry;
  const ToolRuntimeConfig& config;
  const Clock& clock;
  Executor& executor;
  Random& random;
  const ToolMemory* memory = nullptr;        ///< null: every call runs
  const ToolArtifacts* artifacts = nullptr;  ///< null: none are kept
  CallGates* gates = nullptr;                ///< null: nobody waits
  ByteBudget* artifact_reads = nullptr;      ///< not null where artifacts are kept
};

class CallRun final : public ToolRun {
 public:
  CallRun(const CallRunPorts& ports, ToolRequest request, std::function<void(ToolResult)> done);

 private:
  OutputLevel level_of(const Admission& admission) const;
  void fill_invocation(CheckedArguments arguments);
  void later(Milliseconds delay, std::function<void()> task);

  void read_artifacts(const ToolRegistry::Entry& entry);
  void wait_for_room();
  void ask_cache(const ToolRegistry::Entry& entry);
  void cache_answered(CacheAnswer answer);
  void begin();

  bool may_go_on();
  void start_try();
  void pass_gates();
  void run_tool();
  void answered(RawToolResult raw);
  void note_error(const RawToolResult& raw);
  void doubt_or_settle(const RawToolResult& raw);
  bool may_run_again(const RawToolResult& raw) const;
  void count_retry(const RawToolResult& raw);
  Milliseconds next_delay(int retries);
  Milliseconds delay_after(const RawToolResult& raw);

  void ask_status();
  void status_answered(EffectStatus status);
  void did_not_happen();
  bool may_ask_again(const EffectStatus& status) const;

  void settle(std::optional<ToolError> error);
  void finish_succeeded(const RawToolResult& raw);
  void tell_out_of_reach();
  void pass_over_kept_result();
  void finish_failed(ToolError error);
  void finish_unknown(std::optional<ToolError> error = std::nullopt);
  void finish();

  ResultFormat format_at(OutputLevel level) const;
  ResultFormat format_of(const RawToolResult& raw) const;
  void record(const FormattedResult& formatted);
  void finish_with_artifact(FormattedResult formatted);
  void finish_with_partial_data();
  Artifact artifact_of(std::string data);
  void keep_artifact(std::string data, std::function<void(Result<void>)> kept);

  EffectClass effect() const { return tool_->descriptor().effect; }

  const CallRunPorts ports_;
  const ToolRequest request_;
  SteadyTime started_;
  SteadyTime try_started_;
  std::function<void(ToolResult)> done_;
  Tool* tool_ = nullptr;
  ToolInvocation invocation_;
  ToolResult result_;
  std::optional<ChunkedData> chunked_;  ///< where the data is that wasn't held
  std::string closing_line_;            ///< of the observation
  std::optional<std::string> plain_;    ///< what a plain loop would show of a success
  bool asked_full_ = false;             ///< by the call itself
  bool in_doubt_ = false;               ///< an earlier run may have had its effect
  std::optional<RawToolResult> last_;   ///< of the last try here, if it wasn't a success
  int status_retries_ = 0;
  std::unique_ptr<Timer> timer_;  ///< of the timeout, of the wait for a retry, or of a refusal
  std::vector<CallGate*> gates_;  ///< that are still before this try
  std::vector<std::unique_ptr<CallGate::Place>> places_;
  std::unique_ptr<ToolRun> run_;
  std::unique_ptr<ArtifactReading> reading_;
  std::vector<std::unique_ptr<ByteBudget::Place>> held_;  ///< for the artifacts that it was given
  std::unique_ptr<CacheClaim> claim_;                     ///< of a call whose result may be kept
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace ba
