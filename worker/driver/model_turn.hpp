#pragma once
// SPDX-License-Identifier: Apache-2.0
// Asks the model of a job for its next reply: what it is sent, whether its provider counts that
// first, the call, and the event that comes of it. Owned by the job's runner; control thread only.
// Destroying it drops what is in flight.

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "pipeline/core/context/history_views.hpp"
#include "pipeline/core/conversation/run_protocol.hpp"
#include "worker/driver/runner_ports.hpp"

namespace ba::driver {

/// Takes an event of a run; what comes of it is done when it returns.
using FeedRun = std::function<void(RunEvent)>;

class ModelTurn final {
 public:
  /// Borrows the ports and the run, which outlive it.
  ModelTurn(const RunnerPorts& ports, const RunProtocol& run, FeedRun feed)
      : ports_(ports), run_(run), feed_(std::move(feed)) {}

  /// True: the model is being asked. False: something else came of it, as fed.
  bool ask();

  /// After a lost try, which costs as much as a new call.
  void go_on() { call_->go_on(); }

  void drop();

  /// The job is loaded again: its history is another.
  void forget();

  /// A call is under way that may be paid.
  bool paid() const { return call_ && call_->request_out(); }

  /// The tools that a model is offered. The same for the whole run: prompts begin with them.
  const ToolOffer& offer_for(const std::string& model);

  /// What the model was sent last; null: it wasn't asked.
  const ContextView* view() const { return views_ ? views_->current() : nullptr; }

 private:
  const ConversationState& state() const { return *run_.conversation(); }
  SentHistory history_to_send();
  ModelRequest request_of(SentHistory sent);
  void count_first(const ModelRequest& request, ExactCountRow row);
  bool refused_already(const SentHistory& sent) const;
  void refused(const ModelReply& reply);
  ContextFrame frame_for(const std::string& model);
  void done(ModelOutcome&& outcome);

  const RunnerPorts& ports_;
  const RunProtocol& run_;
  const FeedRun feed_;
  std::map<std::string, ToolOffer> offers_;  ///< by model; views_ borrow of them
  std::optional<HistoryViews> views_;        ///< once the model is asked
  int compressions_copied_ = 0;              ///< of these, those that another job made
  std::unique_ptr<ModelCall> call_;
  std::unique_ptr<CountCall> count_;  ///< instead of it, before
};

}  // namespace ba::driver
