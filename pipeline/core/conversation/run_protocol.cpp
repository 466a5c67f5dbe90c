// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/run_protocol.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/core/conversation/context_steps.hpp"
#include "pipeline/core/conversation/endings.hpp"
#include "pipeline/core/conversation/make_delta.hpp"

namespace ba {
namespace {

/// The rows themselves are refused; everything else is the ledger's trouble and may pass.
bool refuses_data(const Error& error) {
  return error.code == ErrorCode::InvalidArgument || error.code == ErrorCode::Conflict ||
         error.code == ErrorCode::LimitExceeded;
}

}  // namespace

/// One application of one event.
class RunProtocol::Step {
 public:
  Step(RunProtocol& run, const RunFacts& facts) : run_(run), facts_(facts) {}

  // ---- the job is loaded ------------------------------------------------------------------------

  void on(run::Loaded event) {
    from({RunPhase::Loading, RunPhase::Reloading});
    run_.phase_ = RunPhase::Opening;
    run_.state_ = std::move(event.start.state);
    run_.start_ = std::move(event.start);
    run_.losses_.loaded(*run_.state_);
    add(run::Open{run_.refusal_.has_value()});
  }

  void on(const run::LoadFailed& event) {
    from({RunPhase::Loading, RunPhase::Reloading});
    end(event.error.code == ErrorCode::Fenced ? RunEnd::Fenced : RunEnd::Broken);
  }

  void on(run::Opened) {
    from({RunPhase::Opening});
    const JobStart start = *std::exchange(run_.start_, {});
    run_.phase_ = run_.refusal_ ? RunPhase::Closing : RunPhase::Running;
    if (run_.refusal_) run_.losses_.loaded_again(state());
    if (start.ending) return tell(event::Stop{*start.ending});
    if (run_.refusal_) return tell(event::Stop{endings::internal(*run_.refusal_)});
    if (run_.cancelled_) return tell(event::Begin{endings::cancelled()});
    if (run_.overdue_) return tell(event::Begin{endings::conversation_busy(*run_.overdue_)});
    if (start.unfit) return tell(event::Begin{endings::invalid_job(start.unfit->message)});
    add(run::ArmDeadline{});
    tell(event::Begin{});
  }

  // ---- its conversation goes on -----------------------------------------------------------------

  void on(Event event) {
    switch (run_.phase_) {
      case RunPhase::Running:
      case RunPhase::Closing:
        return tell_and_look(std::move(event));
      case RunPhase::Stopping:
      case RunPhase::Refused:
        return meanwhile(std::move(event));
      case RunPhase::HaltingAgents:
      case RunPhase::LettingGo:
      case RunPhase::GivingBack:
      case RunPhase::Halting:
        BA_ASSERT(std::holds_alternative<event::SubAgentsUsed>(event));
        return tell(std::move(event));
      case RunPhase::Loading:
      case RunPhase::Opening:
      case RunPhase::Reloading:
        BA_ASSERT(std::holds_alternative<event::SubAgentsUsed>(event));
        return;  // what is loaded has it
      case RunPhase::Over:
        return;
    }
  }

  void on(run::Written) {
    while_writing();
    run_.losses_.written();
    if (run_.phase_ == RunPhase::Stopping) {
      run_.written_ = true;  // its job goes on with nothing else
      return;
    }
    if (run_.phase_ == RunPhase::GivingBack) return recorded();
    if (run_.phase_ == RunPhase::Halting && !state().flow.finishing) return end(RunEnd::AtBoundary);
    tell_and_look(event::Committed{});
  }

  void on(const run::WriteFailed& event) {
    while_writing();
    if (event.error.code == ErrorCode::Fenced) return end(RunEnd::Fenced);
    if (!refuses_data(event.error)) return add(run::RetryWrite{});
    if (run_.phase_ == RunPhase::Halting) return end(RunEnd::AtBoundary);
    if (run_.phase_ == RunPhase::Closing) return end(RunEnd::Broken);  // even the end was refused
    refuse(event.error);
  }

  // ---- somebody wants it to stop ----------------------------------------------------------------

  void on(run::Drain) {
    run_.boundary_ = true;
    if (run_.phase_ == RunPhase::Loading) end(RunEnd::AtBoundary);
  }

  void on(run::Pause) { run_.boundary_ = true; }

  void on(run::GraceOver) {
    run_.boundary_ = run_.grace_over_ = true;
    if (run_.phase_ == RunPhase::Loading) return end(RunEnd::AtBoundary);
    add(run::DisarmDeadline{});
    // What is being written decides, and sub-agents end first: both lead to a boundary.
    if (run_.phase_ != RunPhase::Running || state().flow.commit_in_flight || facts_.sub_agents)
      return;
    give_back(RunEnd::AtBoundary, facts_.model_paid);
  }

  void on(run::Cancel) {
    if (std::exchange(run_.cancelled_, true)) return;
    // While a write is repeated, nothing else may become the reason.
    add(run::DisarmDeadline{});
    stop(endings::cancelled());
  }

  void on(run::DeadlineReached) {
    if (run_.state_) stop(endings::deadline(state()));
  }

  void on(run::LeaseLost) { end(RunEnd::Fenced); }

  void on(run::Halt) {
    if (run_.phase_ == RunPhase::Loading) return end(RunEnd::AtBoundary);
    // It was told before, or its job is about to end anyway.
    if (run_.phase_ == RunPhase::Halting || run_.refusal_) return;
    add(run::DropModel{});
    add(run::DropTools{});
    add(run::DisarmDeadline{});
    if (run_.phase_ != RunPhase::Running || !state().flow.commit_in_flight)
      return end(RunEnd::AtBoundary);
    run_.phase_ = RunPhase::Halting;
  }

  // ---- its sub-agents ---------------------------------------------------------------------------

  void on(const run::SubAgentsHalted& event) {
    from({RunPhase::HaltingAgents});
    for (int lost = event.lost; lost > 0; --lost) count_lost_call(state());
    if (!facts_.sub_agents) return alone();
    run_.phase_ = run_.refusal_ ? RunPhase::Refused : RunPhase::Stopping;
  }

  void on(run::SubAgentsGone) {
    if (run_.phase_ == RunPhase::Stopping || run_.phase_ == RunPhase::Refused) alone();
  }

  void on(const run::CallSuspended& event) {
    run_.suspended_.insert(event.call);
    if (run_.phase_ == RunPhase::Running) give_back_if_suspended();
  }

  // ---- it goes back -----------------------------------------------------------------------------

  /// What was paid for summaries is durable, or counted as lost, before the job goes back: whoever
  /// goes on with it takes nothing for lost that isn't. A hand-back says that there was no lost
  /// call, so one that was is on record first.
  void on(run::LetGone event) {
    from({RunPhase::LettingGo});
    if (event.summary) end_summary(state(), std::move(*event.summary));
    const bool summaries = !state().summaries.ended.empty();
    if (!run_.lost_call_ && !summaries) return hand_back();
    run_.phase_ = RunPhase::GivingBack;
    Delta delta = lost_call_delta(state());
    if (summaries) add_context(state(), delta);
    write(std::move(delta));
  }

  RunActions take() { return std::move(actions_); }

 private:
  ConversationState& state() { return *run_.state_; }

  template <typename A>
  void add(A action) {
    actions_.emplace_back(std::move(action));
  }

  void from(std::initializer_list<RunPhase> phases) const {
    BA_ASSERT(std::ranges::find(phases, run_.phase_) != phases.end());
  }

  void while_writing() {
    from({RunPhase::Running, RunPhase::Stopping, RunPhase::GivingBack, RunPhase::Halting,
          RunPhase::Closing});
    BA_ASSERT(run_.phase_ == RunPhase::GivingBack || state().flow.commit_in_flight);
    BA_ASSERT(!run_.written_);
  }

  void tell_and_look(Event event) {
    const auto* used = std::get_if<event::SubAgentsUsed>(&event);
    const bool spent = used != nullptr && used->use.agents == 0;
    tell(std::move(event));
    if (run_.phase_ != RunPhase::Running) return;
    give_back_if_suspended();
    if (!spent || run_.phase_ != RunPhase::Running) return;
    if (state().flow.finishing || state().flow.ending) return;
    if (auto ending = endings::limit_reached(state())) stop(std::move(*ending));
  }

  /// While sub-agents come to rest no new step begins.
  void meanwhile(Event event) {
    if (auto* ended = std::get_if<event::SummaryEnded>(&event))
      return end_summary(state(), std::move(ended->row));
    tell(std::move(event));
  }

  /// Its machine decides; the run sees to it that what it wants is still wanted.
  void tell(Event event) {
    summary_asked_ = state().summaries.out.has_value();
    if (summary_asked_) note_summary_call(state(), !facts_.summary || facts_.summary_paid);
    for (Action& action : advance(state(), std::move(event), facts_.at, run_.context_))
      std::visit([this](auto& wanted) { want(std::move(wanted)); }, action);
  }

  void want(action::AskModel ask) { ask_model(ask); }
  void want(action::GoOnAsking ask) { ask_model(ask); }
  void want(action::Commit commit) { write(std::move(commit.delta)); }
  void want(action::WaitForPerson) { give_back(RunEnd::Unresolved, false); }
  void want(action::Done) { end(RunEnd::Finished); }
  template <typename A>
  void want(A action) {
    add(std::move(action));
  }

  template <typename Ask>
  void ask_model(Ask ask) {
    if (run_.boundary_) return give_back(RunEnd::AtBoundary, false);
    add(ask);
  }

  void write(Delta delta) {
    delta.alone = state().claim.attempt > 1;
    if (delta.finished && facts_.summary && !summary_asked_)
      run_.losses_.never_asked(*facts_.summary);
    run_.losses_.writes(delta);
    add(action::Commit{std::move(delta)});
  }

  /// Its job ends before its time, once it is alone.
  void stop(Ending ending) {
    const bool asked_for = ending.outcome == Outcome::Cancelled;
    switch (run_.phase_) {
      case RunPhase::Running:
        run_.stop_ = std::move(ending);
        return be_alone();
      case RunPhase::HaltingAgents:
      case RunPhase::Stopping:
      case RunPhase::LettingGo:
      case RunPhase::GivingBack:
        if (!run_.stop_ || asked_for) run_.stop_ = std::move(ending);
        return;
      default:
        return;  // what is loaded decides, or it ends already
    }
  }

  /// The database refuses this job's data: the job ends with that as its error, from what is
  /// durable.
  void refuse(const Error& error) {
    run_.refusal_ = error;
    std::optional<SummaryInWork> summary;
    if (facts_.summary) summary = SummaryInWork{*facts_.summary, facts_.summary_paid};
    run_.losses_.refused(state(), summary);
    add(run::DropModel{});
    add(action::DropSummary{});
    add(run::DisarmDeadline{});
    be_alone();
  }

  void be_alone() {
    if (!facts_.sub_agents) return alone();
    run_.phase_ = RunPhase::HaltingAgents;
    add(run::HaltSubAgents{});
  }

  /// What its sub-agents wrote is in the bill, and what they had under way is lost with them.
  void alone() {
    if (run_.refusal_) {
      run_.losses_.forget(state());
      run_.phase_ = RunPhase::Reloading;
      add(run::DropTools{});
      return add(run::Load{});
    }
    run_.phase_ = RunPhase::Running;
    tell(event::Stop{*std::exchange(run_.stop_, {}), facts_.model_paid});
    if (std::exchange(run_.written_, false)) tell(event::Committed{});
  }

  /// Nothing of the step moves any more but by another run of the job.
  void give_back_if_suspended() {
    if (run_.suspended_.empty() || state().calls.empty() || state().flow.commit_in_flight) return;
    const bool resting = std::ranges::all_of(state().calls, [this](const CallState& call) {
      return at_rest(call) || run_.suspended_.contains(call.position);
    });
    if (resting || (run_.grace_over_ && !facts_.sub_agents)) give_back(RunEnd::AtBoundary, false);
  }

  void give_back(RunEnd how, bool lost_call) {
    run_.phase_ = RunPhase::LettingGo;
    run_.back_as_ = how;
    run_.lost_call_ = lost_call;
    if (lost_call) drop_model_call(state());
    add(run::LetGo{});
  }

  void recorded() {
    if (!run_.stop_) return hand_back();
    alone();  // its job ends instead
  }

  void hand_back() {
    run_.phase_ = RunPhase::Over;
    add(run::HandBack{run_.back_as_});
  }

  void end(RunEnd how) {
    run_.phase_ = RunPhase::Over;
    add(run::End{how});
  }

  RunProtocol& run_;
  const RunFacts& facts_;
  RunActions actions_;
  bool summary_asked_ = false;  ///< a model is being asked for it; before the event
};

RunActions RunProtocol::on(RunEvent event, const RunFacts& facts) {
  if (over()) return {};
  Step step(*this, facts);
  std::visit([&](auto&& e) { step.on(std::move(e)); }, std::move(event));
  return step.take();
}

bool RunProtocol::wants_summaries() const {
  return phase_ == RunPhase::Running && !boundary_ && !cancelled_;
}

}  // namespace ba
