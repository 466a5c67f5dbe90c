#pragma once
// SPDX-License-Identifier: Apache-2.0
// Has summaries of a job's old rounds written beside its run: one at a time, and once for each
// content. Owned by the job's runner; control thread only. Destroying it drops what is in flight.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "worker/driver/model_turn.hpp"
#include "worker/driver/summary_writer.hpp"

namespace ba::driver {

class JobSummaries final {
 public:
  /// Borrows all, which outlive it. `written`: what was or is being written last, if anything.
  JobSummaries(const RunnerPorts& ports, IncarnationId self, const RunProtocol& run,
               const SharedDelta& written, FeedRun feed)
      : ports_(ports), self_(self), run_(run), written_(written), feed_(std::move(feed)) {}

  /// Where one is wanted of what the model is being sent.
  void begin(const ContextView& sent);

  void drop() { writer_.reset(); }

  /// Drops the one that is being written: what its row is to say then.
  std::optional<SummaryRow> give_up();

  /// Durable from now on: this process need not have them written again.
  void remember(const std::vector<SummaryRow>& rows) const;

  /// Of one that is being written.
  std::optional<Position> at() const;
  bool paid() const { return writer_ && writer_->request_out(); }

  bool tried_any() const { return !tried_.empty(); }

 private:
  const ConversationState& state() const { return *run_.conversation(); }
  SummaryOrder order_of(const SummaryRequest& request, const Position& at) const;
  bool may_pay(const SummaryRequest& request, const ContextView& sent) const;
  Usage expected_reply(const ContextView& sent) const;
  std::int64_t expected_cost(const SummaryRequest& request) const;
  std::optional<std::int64_t> cost_of(const std::string& model, const Usage& usage) const;
  bool has_one_at(const Position& at) const;
  void ended(SummaryRow row);

  const RunnerPorts& ports_;
  const IncarnationId self_;
  const RunProtocol& run_;
  const SharedDelta& written_;
  const FeedRun feed_;
  std::unique_ptr<SummaryWriter> writer_;  ///< while one is being written
  std::set<std::string> tried_;            ///< their contents
};

}  // namespace ba::driver
