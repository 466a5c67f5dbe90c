#pragma once
// SPDX-License-Identifier: Apache-2.0
// Turns what the runtime tells into progress events for live displays, and passes everything on to
// the observer behind it. Made only where progress is published. Control thread only.

#include <functional>
#include <string_view>

#include "pipeline/core/port/clock.hpp"
#include "pipeline/text/contract/progress_event.hpp"
#include "worker/driver/run_observer.hpp"

namespace ba {

class ProgressObserver final : public RunObserver {
 public:
  using Publish = std::function<void(const ProgressEvent&)>;

  /// `publish` must be quick and never wait.
  ProgressObserver(RunObserver& inner, const Clock& clock, Publish publish);

  void taken_in(const IntakeSummary& summary) override;
  void job_started(const ConversationState& state) override;
  void history_compressed(const ConversationState& state,
                          const CompressionEvent& compression) override;
  void context_counted(const ConversationState& state, const ExactCountRow& row,
                       const ExactCount& count) override;
  void summary_ended(const ConversationState& state, const std::string& model,
                     const SummaryRow& summary) override;
  void summary_refused(const ConversationState& state, const std::string& why) override;
  void model_asked(const ConversationState& state) override;
  void model_answered(const ConversationState& state, const ModelReply& reply) override;
  void model_failed(const ConversationState& state, const ModelFailure& failure) override;
  void model_calls_lost(const ConversationState& state, int calls) override;
  void tool_started(const ConversationState& state, const CallState& call) override;
  void tool_finished(const ConversationState& state, const CallState& call,
                     const ToolResult& result) override;
  void committed(const ConversationState& state, const Delta& delta) override;
  void job_finished(const ConversationState& state, const JobResult& result) override;
  void job_handed_back(const ConversationState& state) override;
  void job_waits(const ConversationState& state) override;
  void ledger_failed(const Error& error, const LedgerAttempt& attempt) override;

 private:
  void tell(const ConversationState& state, const ProgressEvent& event) const;
  ProgressEvent event_of(const ConversationState& state, ProgressKind kind) const;

  RunObserver& inner_;
  const Clock& clock_;
  const Publish publish_;
};

/// On one line, at most 200 code points: what an event's `text` may hold.
std::string progress_line(std::string_view text);

}  // namespace ba
