#pragma once
// SPDX-License-Identifier: Apache-2.0
// Tells several observers what the driver tells one, in the order of the list. They outlive it.
// Control thread only.

#include <vector>

#include "worker/driver/run_observer.hpp"

namespace ba::runtime {

class ObserverList final : public driver::RunObserver {
 public:
  void add(driver::RunObserver& observer) { observers_.push_back(&observer); }

  /// Whom the driver tells: this list, or the only one that is in it.
  driver::RunObserver& face() { return observers_.size() == 1 ? *observers_.front() : *this; }

  void taken_in(const driver::IntakeSummary& summary) override {
    tell<&driver::RunObserver::taken_in>(summary);
  }
  void job_started(const ConversationState& state) override {
    tell<&driver::RunObserver::job_started>(state);
  }
  void history_compressed(const ConversationState& state,
                          const CompressionEvent& compression) override {
    tell<&driver::RunObserver::history_compressed>(state, compression);
  }
  void context_counted(const ConversationState& state, const ExactCountRow& row,
                       const ExactCount& count) override {
    tell<&driver::RunObserver::context_counted>(state, row, count);
  }
  void summary_ended(const ConversationState& state, const std::string& model,
                     const SummaryRow& summary) override {
    tell<&driver::RunObserver::summary_ended>(state, model, summary);
  }
  void summary_refused(const ConversationState& state, const std::string& why) override {
    tell<&driver::RunObserver::summary_refused>(state, why);
  }
  void model_asked(const ConversationState& state) override {
    tell<&driver::RunObserver::model_asked>(state);
  }
  void model_answered(const ConversationState& state, const ModelReply& reply) override {
    tell<&driver::RunObserver::model_answered>(state, reply);
  }
  void model_failed(const ConversationState& state, const ModelFailure& failure) override {
    tell<&driver::RunObserver::model_failed>(state, failure);
  }
  void model_calls_lost(const ConversationState& state, int calls) override {
    tell<&driver::RunObserver::model_calls_lost>(state, calls);
  }
  void tool_started(const ConversationState& state, const CallState& call) override {
    tell<&driver::RunObserver::tool_started>(state, call);
  }
  void tool_finished(const ConversationState& state, const CallState& call,
                     const ToolResult& result) override {
    tell<&driver::RunObserver::tool_finished>(state, call, result);
  }
  void committed(const ConversationState& state, const Delta& delta) override {
    tell<&driver::RunObserver::committed>(state, delta);
  }
  void job_finished(const ConversationState& state, const JobResult& result) override {
    tell<&driver::RunObserver::job_finished>(state, result);
  }
  void job_handed_back(const ConversationState& state) override {
    tell<&driver::RunObserver::job_handed_back>(state);
  }
  void job_waits(const ConversationState& state) override {
    tell<&driver::RunObserver::job_waits>(state);
  }
  void ledger_failed(const Error& error, const driver::LedgerAttempt& attempt) override {
    tell<&driver::RunObserver::ledger_failed>(error, attempt);
  }

 private:
  template <auto kWhat, typename... News>
  void tell(const News&... news) {
    for (driver::RunObserver* observer : observers_) (observer->*kWhat)(news...);
  }

  std::vector<driver::RunObserver*> observers_;
};

}  // namespace ba::runtime
