#pragma once
// SPDX-License-Identifier: Apache-2.0
// Has one summary written by a model, beside the job that wants it: puts it on record, asks once,
// and says what came of it. Nothing is tried again: without a summary its job goes on with
// extracts. Owned by the job's runner; control thread only. Destroying it drops what is in flight.

#include <functional>
#include <memory>
#include <optional>

#include "pipeline/base/lifetime.hpp"
#include "pipeline/core/context/summary_request.hpp"
#include "worker/driver/runner_ports.hpp"

namespace ba::driver {

/// What a process knows one by.
std::string summary_key(LedgerConversationId conversation, const SummaryRow& row);

/// And that one as a process keeps it, with what it cost.
CacheHit known_summary(const SummaryRow& row);

/// Of those that a process knows; the ledger has all.
inline constexpr LocalResults::Limits kKnownSummaries{.entries_max = 1'000, .bytes_max = 16 << 20};

struct SummaryHooks {
  std::function<bool()> wanted;                  ///< asked before a model is; false: none is asked
  std::function<void(SummaryRow)> asked;         ///< a model is being asked now
  std::function<void(SummaryRow)> ended;         ///< the last thing: it may destroy the writer
  std::function<void(std::string why)> refused;  ///< likewise: nothing was recorded nor asked
};

class SummaryWriter final {
 public:
  SummaryWriter(const RunnerPorts& ports, IncarnationId self, SummaryHooks hooks)
      : ports_(ports), self_(self), hooks_(std::move(hooks)) {}

  /// Once. `price_reading`: of the job.
  void start(const SummaryOrder& order, const SummaryRequest& request, int price_reading);

  /// Whether a request is out that may be paid, as ModelCall has it.
  bool request_out() const { return lost_ || (call_ && call_->request_out()); }

  Position at() const { return order_.at; }
  const std::string& model() const { return request_.model; }  ///< that is asked

  /// Drops what is in flight: what its row is to say then.
  SummaryRow give_up();

 private:
  void begin();
  void begun(Result<SummaryStanding> standing);
  void ask();
  void answered(ModelOutcome outcome);
  void reuse(summary::Reused earlier);
  void end(SummaryRow row);
  void refuse(const std::string& why);
  bool known_here();

  const RunnerPorts& ports_;
  const IncarnationId self_;
  const SummaryHooks hooks_;
  SummaryOrder order_;
  SummaryRequest request_;
  int price_reading_ = -1;
  SummaryRow row_;
  std::unique_ptr<ModelCall> call_;
  bool lost_ = false;  ///< a try that may have been paid
  std::unique_ptr<Timer> later_;
  Lifetime lifetime_;
};

}  // namespace ba::driver
