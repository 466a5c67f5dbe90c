#pragma once
// SPDX-License-Identifier: Apache-2.0
// Tells metrics and log what the runtime does. Labels name what is configured, never what a
// provider or a model made up. Control thread only.

#include <string_view>

#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/log.hpp"
#include "worker/driver/life_observer.hpp"
#include "worker/driver/silent_observer.hpp"
#include "worker/llm/llm_config.hpp"
#include "worker/observe/metrics.hpp"

namespace ba::runtime {

class ReportingObserver final : public driver::SilentObserver, public driver::LifeObserver {
 public:
  /// All outlive it.
  ReportingObserver(observe::Metrics& metrics, Log& log, const Clock& clock,
                    const llm::LlmConfig& models);

  void taken_in(const driver::IntakeSummary& summary) override;
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
  void tool_finished(const ConversationState& state, const CallState& call,
                     const ToolResult& result) override;
  void committed(const ConversationState& state, const Delta& delta) override;
  void job_finished(const ConversationState& state, const JobResult& result) override;
  void job_handed_back(const ConversationState& state) override;
  void job_waits(const ConversationState& state) override;
  void ledger_failed(const Error& error, const driver::LedgerAttempt& attempt) override;

  void fenced() override { metrics_.fenced(); }
  void reaped(int incarnations) override { metrics_.reaped(incarnations); }
  void shard_stopped() override { metrics_.outbox_shard_stopped(); }
  void published(int records) override { metrics_.outbox_published(records); }
  void removed(const RemovedRows& rows) override;

 private:
  observe::Metrics::ModelCallSeen call_of(std::string_view model, std::string_view outcome) const;

  observe::Metrics& metrics_;
  Log& log_;
  const Clock& clock_;
  const llm::LlmConfig& models_;
};

}  // namespace ba::runtime
