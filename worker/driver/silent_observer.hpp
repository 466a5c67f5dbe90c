#pragma once
// SPDX-License-Identifier: Apache-2.0
// An observer that keeps what it is told to itself: the base of those that use a part of it.

#include "worker/driver/run_observer.hpp"

namespace ba::driver {

class SilentObserver : public RunObserver {
 public:
  void taken_in(const IntakeSummary&) override {}
  void job_started(const ConversationState&) override {}
  void history_compressed(const ConversationState&, const CompressionEvent&) override {}
  void context_counted(const ConversationState&, const ExactCountRow&, const ExactCount&) override {
  }
  void summary_ended(const ConversationState&, const std::string&, const SummaryRow&) override {}
  void summary_refused(const ConversationState&, const std::string&) override {}
  void model_asked(const ConversationState&) override {}
  void model_answered(const ConversationState&, const ModelReply&) override {}
  void model_failed(const ConversationState&, const ModelFailure&) override {}
  void model_calls_lost(const ConversationState&, int) override {}
  void tool_started(const ConversationState&, const CallState&) override {}
  void tool_finished(const ConversationState&, const CallState&, const ToolResult&) override {}
  void committed(const ConversationState&, const Delta&) override {}
  void job_finished(const ConversationState&, const JobResult&) override {}
  void job_handed_back(const ConversationState&) override {}
  void job_waits(const ConversationState&) override {}
  void ledger_failed(const Error&, const LedgerAttempt&) override {}
};

}  // namespace ba::driver
