// SPDX-License-Identifier: Apache-2.0
// How a run ends before its job does, or its job before its time: drains, pauses, cancellations,
// deadlines, and what becomes of its sub-agents then.
#include <algorithm>

#include "pipeline/core/conversation/endings.hpp"
#include "pipeline/core/conversation/make_delta.hpp"
#include "worker/driver/job_runner.hpp"

namespace ba {

void JobRunner::drain() {
  draining_ = true;
  if (!state_) return end(RunEnd::AtBoundary);
}

void JobRunner::abandon() {
  if (over_) return;
  draining_ = abandoned_ = true;
  if (!state_) return end(RunEnd::AtBoundary);
  deadline_.reset();
  if (state_->flow.commit_in_flight)
    return;  // what is being written decides; its end is a boundary
  if (hooks_.sub_agents && hooks_.sub_agents->any_of(claimed_.id)) return;  // they end first
  const bool lost = request_out();
  model_call_.reset();
  count_call_.reset();
  if (!lost) return stop_at_boundary();
  state_->flow.model_in_flight = false;
  count_lost_call(*state_);
  if (give_back_first([this] { stop_at_boundary(); })) return;
  pending_ = lost_call_delta(*state_);
  pending_.alone = claimed_.attempt > 1;
  record_lost_call([this] { stop_at_boundary(); });
}

/// The job goes back once its lost call is counted: a hand-back says that there was none.
void JobRunner::record_lost_call(std::function<void()> then) {
  ports_.ledger.append(
      self_, pending_,
      [weak = weak_from_this(), then = std::move(then)](const Result<void>& result) {
        auto self = weak.lock();
        if (!self || self->over_) return;
        if (result) self->report_lost_calls();
        if (result) return then();
        self->report(result.error(), "record a lost model call");
        if (result.error().code == ErrorCode::Fenced) return self->end(RunEnd::Fenced);
        self->later([raw = self.get(), then] { raw->record_lost_call(then); });
      });
}

void JobRunner::pause() { pausing_ = true; }

void JobRunner::cancel() {
  if (cancelled_) return;
  cancelled_ = true;
  deadline_.reset();  // while a write is repeated, nothing else may become the reason
  // While the job is being loaded, what is loaded decides.
  if (state_ && !refusal_) stop(endings::cancelled());
}

void JobRunner::stop(Ending ending) {
  const bool waits = stopping_with_ && once_alone_;
  const bool asked_for = ending.outcome == Outcome::Cancelled;
  if (!waits || asked_for) stopping_with_ = std::move(ending);
  if (waits) return;
  if (!request_out())
    state_->flow.model_in_flight = false;  // between two tries no call can be lost
  once_alone([this] { dispatch(event::Stop{*std::exchange(stopping_with_, std::nullopt)}); });
}

/// What its sub-agents write is in the bill, and what they have under way is lost with them. Until
/// then nothing else of the job goes on.
void JobRunner::once_alone(std::function<void()> then) {
  if (!hooks_.sub_agents || !hooks_.sub_agents->any_of(claimed_.id)) return then();
  for (int lost = hooks_.sub_agents->halt_all_of(claimed_.id); lost > 0; --lost)
    count_lost_call(*state_);
  tool_runs_.clear();
  once_alone_ = std::move(then);
  if (!hooks_.sub_agents->any_of(claimed_.id)) sub_agents_gone();
}

void JobRunner::sub_agents_gone() {
  const auto then = std::exchange(once_alone_, nullptr);
  if (!then || over_) return;
  const auto alive = shared_from_this();
  then();
  if (!over_ && std::exchange(committed_meanwhile_, false)) dispatch(event::Committed{});
}

bool JobRunner::halt() {
  if (over_) return false;
  halted_ = true;
  const bool lost = request_out();
  model_call_.reset();
  count_call_.reset();
  tool_runs_.clear();
  deadline_.reset();
  if (!state_ || !state_->flow.commit_in_flight) end(RunEnd::AtBoundary);
  return lost;
}

void JobRunner::call_suspended(const Position& position) {
  if (over_) return;
  suspended_.insert(position);
  stop_if_suspended();
}

/// Nothing of the step moves any more but by another run of the job.
void JobRunner::stop_if_suspended() {
  if (over_ || suspended_.empty() || state_->flow.commit_in_flight) return;
  const bool at_rest =
      std::all_of(state_->calls.begin(), state_->calls.end(), [this](const CallState& call) {
        return call.phase == CallPhase::Saved || call.phase == CallPhase::Unresolved ||
               suspended_.contains(call.position);
      });
  const bool given_up = abandoned_ && !hooks_.sub_agents->any_of(claimed_.id);
  if (at_rest || given_up) stop_at_boundary();
}

}  // namespace ba
