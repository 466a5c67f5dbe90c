#pragma once
// SPDX-License-Identifier: Apache-2.0
// One call, from the checks to its result: performs what CallProtocol decides. One try of the tool
// at a time, each with its own timer. Owned by whoever asked for it; control thread only.

#include <functional>
#include <memory>
#include <vector>

#include "pipeline/core/tool/admission.hpp"
#include "pipeline/core/tool/artifact_arguments.hpp"
#include "pipeline/core/tool/call_ending.hpp"
#include "pipeline/core/tool/call_protocol.hpp"
#include "pipeline/core/tool/tool_runtime.hpp"

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
  void read_artifacts();
  void wait_for_room();
  void ask_cache();
  void cache_answered(CacheAnswer answer);

  void go_on(CallProtocol::Next next);
  void perform(CallProtocol::Try);
  void perform(CallProtocol::Ask);
  void perform(CallProtocol::Rest next);
  void perform(CallProtocol::Succeed next);
  void perform(CallProtocol::Fail next);
  void perform(CallProtocol::LeaveUnknown next);

  void pass_gates();
  void run_tool();
  void answered(RawToolResult raw);
  void status_answered(EffectStatus status);
  bool may_go_on();
  void later(Milliseconds delay, std::function<void()> task);
  void finish(ToolResult& result);

  Tool& tool() const { return *admission_.entry->tool; }

  const CallRunPorts ports_;
  const ToolRequest request_;
  const SteadyTime started_;
  Admission admission_;
  ToolInvocation invocation_;
  CallProtocol protocol_;
  CallEnding ending_;
  SteadyTime try_started_{};
  std::unique_ptr<Timer> timer_;  ///< of the phase
  std::vector<CallGate*> gates_;  ///< that are still before this try
  std::vector<std::unique_ptr<CallGate::Place>> places_;
  std::unique_ptr<ToolRun> run_;
  std::unique_ptr<ArtifactReading> reading_;
  std::vector<std::unique_ptr<ByteBudget::Place>> held_;  ///< for the artifacts that it was given
  std::unique_ptr<CacheClaim> claim_;                     ///< of a call whose result may be kept
};

}  // namespace ba
