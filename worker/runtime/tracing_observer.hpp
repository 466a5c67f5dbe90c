#pragma once
// SPDX-License-Identifier: Apache-2.0
// Turns what the runtime tells into spans. A job's own span is told once, by whoever finishes it,
// with ids that every worker derives alike; what an earlier attempt did stands below it. A
// sub-agent stands below the call that asked for it. Made only where traces are exported. Control
// thread only.

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/random.hpp"
#include "pipeline/text/secret/redaction.hpp"
#include "worker/driver/silent_observer.hpp"
#include "worker/runtime/span_words.hpp"
#include "worker/trace/trace_ids.hpp"

namespace ba::runtime {

struct TracingOptions {
  trace::TraceSampling sampling = trace::TraceSampling::Medium;
  bool content = false;  ///< whether spans hold what was asked and answered
  std::size_t content_bytes_max = 8192;
  TracedIntake intake;
};

/// What it borrows.
struct TracingPorts {
  const Clock& clock;
  Random& random;
  const llm::LlmConfig& models;
  const Redaction& secrets;
};

class TracingObserver final : public driver::SilentObserver {
 public:
  using Emit = std::function<void(trace::Span)>;

  /// `emit` must be quick and never wait.
  TracingObserver(TracingOptions options, TracingPorts ports, Emit emit);

  void job_started(const ConversationState& state) override;
  void history_compressed(const ConversationState& state,
                          const CompressionEvent& compression) override;
  void model_asked(const ConversationState& state) override;
  void model_answered(const ConversationState& state, const ModelReply& reply) override;
  void model_failed(const ConversationState& state, const ModelFailure& failure) override;
  void tool_started(const ConversationState& state, const CallState& call) override;
  void tool_finished(const ConversationState& state, const CallState& call,
                     const ToolResult& result) override;
  void job_finished(const ConversationState& state, const JobResult& result) override;
  void job_handed_back(const ConversationState& state) override;
  void job_waits(const ConversationState& state) override;

  /// A life has ended: whoever runs its jobs next tells of them.
  void forget() { running_.clear(); }

  std::size_t jobs() const { return running_.size(); }

 private:
  struct Running {
    trace::TraceIds ids;
    bool sampled = false;
    std::optional<LedgerJobId> asked_by;
    std::string sub_agent_of;  ///< the span of the call that asked
    bool compacted = false;
    std::optional<trace::Span> chat;
    std::map<Position, trace::Span> tools;
  };

  Running* of(const ConversationState& state);
  Running start_of(const ConversationState& state);
  trace::Span span_below(const Running& running, const ConversationState& state) const;
  void emit(trace::Span span);
  void give_up_open(Running& running);
  void end(const ConversationState& state);
  void tell_end(const Running& running, const ConversationState& state, const JobResult& result);

  const TracingOptions options_;
  TracingPorts ports_;
  const Emit emit_;
  std::unordered_map<std::int64_t, Running> running_;  ///< by the job's number
};

}  // namespace ba::runtime
