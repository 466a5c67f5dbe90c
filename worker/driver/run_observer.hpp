#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the driver tells whoever watches (metrics, logs, progress). Calls must be quick and never
// throw. Control thread only.

#include <array>
#include <string>
#include <vector>

#include "pipeline/core/context/context_view.hpp"
#include "pipeline/core/conversation/state.hpp"
#include "pipeline/core/ledger/intake_records.hpp"
#include "pipeline/core/model/exact_counter.hpp"
#include "pipeline/core/model/model_client.hpp"

namespace ba::driver {

/// A record that is no job, for log and metrics.
struct DeadLetterSeen {
  RecordSource source;
  std::string reason;
  std::string field;
  std::string message;
  int shard = 0;  ///< of the outbox
};

/// What one intake transaction took in.
struct IntakeSummary {
  std::array<int, 3> jobs{};  ///< by lane; repeats included
  std::vector<DeadLetterSeen> dead_letters;
};

/// What was tried with the ledger, and for which job; empty and zero where there is none, or where
/// it can't be decoded.
struct LedgerAttempt {
  const char* what = "";
  LedgerJobId row{};
  std::string tenant{};
  std::string job{};
  int round = 0;
  int step = 0;
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void taken_in(const IntakeSummary& summary) = 0;
  virtual void job_started(const ConversationState& state) = 0;
  /// What the model is asked with next is shorter than its history; it has not been asked yet.
  virtual void history_compressed(const ConversationState& state,
                                  const CompressionEvent& compression) = 0;
  /// A provider was to count what the model is asked with next: what came of it.
  virtual void context_counted(const ConversationState& state, const ExactCountRow& row,
                               const ExactCount& count) = 0;
  /// One that a model was asked for, or that an earlier one stands in for.
  /// `model`: the configured one.
  virtual void summary_ended(const ConversationState& state, const std::string& model,
                             const SummaryRow& summary) = 0;
  /// None was asked for: it would cost too much, or is being written elsewhere.
  virtual void summary_refused(const ConversationState& state, const std::string& why) = 0;
  virtual void model_asked(const ConversationState& state) = 0;
  virtual void model_answered(const ConversationState& state, const ModelReply& reply) = 0;
  virtual void model_failed(const ConversationState& state, const ModelFailure& failure) = 0;
  /// So many model calls that may have been paid and whose reply was lost are now on record.
  virtual void model_calls_lost(const ConversationState& state, int calls) = 0;
  virtual void tool_started(const ConversationState& state, const CallState& call) = 0;
  virtual void tool_finished(const ConversationState& state, const CallState& call,
                             const ToolResult& result) = 0;
  virtual void committed(const ConversationState& state, const Delta& delta) = 0;
  virtual void job_finished(const ConversationState& state, const JobResult& result) = 0;
  virtual void job_handed_back(const ConversationState& state) = 0;
  /// It is handed back too, until a person has said what became of its unresolved calls.
  virtual void job_waits(const ConversationState& state) = 0;
  virtual void ledger_failed(const Error& error, const LedgerAttempt& attempt) = 0;
};

}  // namespace ba::driver
