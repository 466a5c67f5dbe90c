// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/machine.hpp"

#include <algorithm>
#include <set>

#include "pipeline/base/assert.hpp"
#include "pipeline/core/context/narrow_window.hpp"
#include "pipeline/core/conversation/call_steps.hpp"
#include "pipeline/core/conversation/context_steps.hpp"
#include "pipeline/core/conversation/endings.hpp"
#include "pipeline/core/conversation/make_delta.hpp"
#include "pipeline/core/conversation/reply_steps.hpp"
#include "pipeline/core/conversation/skill_steps.hpp"
#include "pipeline/text/message/validate.hpp"

namespace ba {
namespace {

bool has_duplicate_ids(const AiMessage& message) {
  std::set<ToolCallId> ids;
  return std::any_of(message.tool_calls.begin(), message.tool_calls.end(),
                     [&](const ToolCall& call) { return !ids.insert(call.id).second; });
}

bool open(const CallState& call) {
  return call.phase == CallPhase::Intended || call.phase == CallPhase::Startable ||
         call.phase == CallPhase::Running || call.phase == CallPhase::Unresolved;
}

/// One application of one event.
class Advance {
 public:
  Advance(ConversationState& state, const Moment& moment, const MachineContext& context)
      : state_(state), moment_(moment), context_(context) {}

  void on(event::Begin event) {
    // The attempt before this one died waiting for the model or on its way there.
    const bool call_lost = state_.claim.after_crash && state_.calls.empty();
    if (call_lost) count_lost_call(state_);
    if (event.ending) return end(*event.ending);
    if (call_lost || !state_.summaries.ended.empty()) return commit(begin_delta(state_));
    proceed();
  }

  void on(event::ModelTryLost) {
    BA_ASSERT(state_.flow.model_in_flight);
    state_.flow.model_in_flight = false;
    state_.flow.model_resting = true;
    count_lost_call(state_);
    commit(lost_call_delta(state_));
  }

  void on(event::ModelAnswered event) {
    BA_ASSERT(state_.flow.model_in_flight);
    state_.flow.model_in_flight = false;
    if (has_duplicate_ids(event.reply.message)) return drop_reply(endings::duplicate_call_ids());
    if (auto good = validate_reply(event.reply.message); !good)
      return drop_reply(endings::invalid_reply(good.error()));
    ReplyTaken taken = take_reply(state_, std::move(event), moment_, context_.tools);
    if (taken.ending) return end(*taken.ending, std::move(taken.delta));
    if (taken.answer) return answer(*taken.answer, std::move(taken.delta));
    commit(std::move(taken.delta));
  }

  /// No step, and it cost nothing: the model is asked again once the smaller window is durable.
  void on(const event::ContextRefused& event) {
    state_.flow.model_in_flight = false;
    Delta delta = begin_delta(state_);
    const bool last = refusals_in_force(state_).count + 1 >= kRefusalsOfReplyMax;
    if (event.tokens) add_refused_context(state_, delta, event.refusal, *event.tokens);
    if (!event.tokens || last) return end(endings::context_exceeded(state_), std::move(delta));
    commit(std::move(delta));
  }

  /// No call of a model: nothing that may be lost is under way.
  void on(event::ContextCounting) { state_.flow.model_in_flight = false; }

  /// What is sent is decided by it, once it is durable.
  void on(event::ContextCounted event) {
    Delta delta = begin_delta(state_);
    delta.exact_counts.push_back(event.row);
    state_.context.counts.push_back(std::move(event.row));
    commit(std::move(delta));
  }

  void on(event::ContextStuck) {
    state_.flow.model_in_flight = false;
    end(endings::context_exceeded(state_));
  }

  void on(event::ModelFailed event) {
    BA_ASSERT(state_.flow.model_in_flight);
    state_.flow.model_in_flight = false;
    end(endings::model_failed(event.failure.error));
  }

  void on(event::Committed) {
    BA_ASSERT(state_.flow.commit_in_flight);
    state_.flow.commit_in_flight = false;
    for (SummaryRow& row : std::exchange(state_.summaries.saving, {}))
      state_.summaries.durable.push_back(std::move(row));
    if (state_.flow.finishing) {
      actions_.emplace_back(action::Done{});
      return;
    }
    for (CallState& call : state_.calls) {
      if (call.phase == CallPhase::Starting) call.phase = CallPhase::Startable;
      if (call.phase == CallPhase::Saving) call.phase = CallPhase::Saved;
    }
    if (state_.flow.ending) return end(*state_.flow.ending);
    if (state_.flow.model_resting) return go_on_asking();
    proceed();
  }

  void on(event::ToolFinished event) {
    CallState& call = state_.calls.at(event.call);
    BA_ASSERT(call.phase == CallPhase::Running);
    apply_skill_call(state_, call, event.result, moment_);
    if (event.result.state == ToolCallState::Unknown)
      leave_unknown(state_, call, std::move(event.result), moment_);
    else
      finish_call(state_, call, std::move(event.result), moment_);
    if (!state_.flow.commit_in_flight) proceed();
  }

  void on(const event::SubAgentsUsed& event) {
    if (state_.flow.finishing) return;
    state_.bill.sub_agents += event.use.agents;
    add(state_.bill.totals, event.use.spent);
  }

  void on(event::HistoryCompressed event) {
    state_.history.compressions = event.compressions;
    state_.history.compressions_unsaved.push_back(std::move(event.row));
  }

  void on(event::SummaryAsked event) { state_.summaries.out = std::move(event.row); }

  void on(event::SummaryEnded event) {
    end_summary(state_, std::move(event.row));
    if (state_.flow.commit_in_flight || state_.flow.model_in_flight || state_.calls.empty()) return;
    proceed();
  }

  void on(event::Stop event) {
    if (state_.flow.finishing) return;
    actions_.emplace_back(action::AbortAll{});
    state_.flow.model_resting = false;
    const bool lost = state_.flow.model_in_flight && event.model_paid;
    state_.flow.model_in_flight = false;
    if (lost) count_lost_call(state_);
    if (state_.flow.commit_in_flight) {
      state_.flow.ending = std::move(event.ending);
      return;
    }
    end(event.ending);
  }

  Actions take() { return std::move(actions_); }

 private:
  /// A reply that was paid and can't become part of a valid history.
  void drop_reply(const Ending& ending) {
    count_lost_call(state_);
    end(ending);
  }

  void go_on_asking() {
    state_.flow.model_resting = false;
    state_.flow.model_in_flight = true;
    actions_.emplace_back(action::GoOnAsking{});
  }

  void answer(const std::string& text, Delta delta) {
    state_.answers.push_back({state_.round.number, text});
    add_round_end(state_, delta, RoundStatus::Completed, text, moment_);
    ++state_.round.number;
    state_.round.started = false;
    state_.round.answer_repairs = 0;
    end_skills(state_);
    if (all_answered()) {
      give_up_summary();
      add_finish(state_, delta, nullptr, context_.publication, moment_);
      state_.flow.finishing = true;
    } else if (auto ending = endings::limit_reached(state_)) {
      return end(*ending, std::move(delta));
    }
    commit(std::move(delta));
  }

  /// Nothing that must come first is in flight: what now?
  void proceed() {
    if (!state_.calls.empty() && !step_closed()) return;
    if (all_answered()) {
      give_up_summary();
      Delta delta = begin_delta(state_);
      add_finish(state_, delta, nullptr, context_.publication, moment_);
      state_.flow.finishing = true;
      return commit(std::move(delta));
    }
    if (auto ending = endings::limit_reached(state_)) return end(*ending);
    if (!state_.round.started) start_round(state_, moment_);
    hold_skills(state_);
    add_reminder(state_, context_.refocus, moment_);
    state_.flow.model_in_flight = true;
    actions_.emplace_back(action::AskModel{});
  }

  /// Moves the step's calls on; true once every observation is durable and in the history.
  bool step_closed() {
    Delta delta = begin_delta(state_);
    const bool outcomes = add_outcomes(state_, delta);
    const bool starts = add_starts(state_, delta, context_.tools);
    for (std::size_t i = 0; i < state_.calls.size(); ++i) run_if_due(i);
    if (outcomes || starts || !state_.summaries.ended.empty()) commit(std::move(delta));
    const bool saved =
        all_calls([](const CallState& call) { return call.phase == CallPhase::Saved; });
    if (saved && state_.flow.commit_in_flight) return false;
    if (saved)
      close_step(state_);
    else if (all_calls(at_rest) && !state_.flow.commit_in_flight)
      actions_.emplace_back(action::WaitForPerson{});
    return saved;
  }

  template <typename Test>
  bool all_calls(Test test) const {
    return std::all_of(state_.calls.begin(), state_.calls.end(), test);
  }

  void run_if_due(std::size_t index) {
    CallState& call = state_.calls[index];
    const bool pure = call.phase == CallPhase::Intended && call.effect == EffectClass::Pure;
    if (!pure && call.phase != CallPhase::Startable) return;
    call.phase = CallPhase::Running;
    actions_.emplace_back(action::RunTool{index});
  }

  bool all_answered() const {
    return static_cast<std::size_t>(state_.round.number) >= state_.job.messages.size();
  }

  void commit(Delta delta) {
    BA_ASSERT(!state_.flow.commit_in_flight);
    state_.flow.commit_in_flight = true;
    delta.wasted_model_calls = state_.bill.wasted_here;
    add_context(state_, delta);
    actions_.emplace_back(action::Commit{std::move(delta)});
  }

  void end(const Ending& ending) { end(ending, begin_delta(state_)); }

  /// What is written of a job that ends is nobody's; it may be paid all the same.
  void give_up_summary() {
    if (!state_.summaries.out) return;
    actions_.emplace_back(action::DropSummary{});
    SummaryRow row = *state_.summaries.out;
    if (row.state == SummaryState::Writing) row.state = SummaryState::Lost;
    end_summary(state_, std::move(row));
  }

  void end(const Ending& ending, Delta delta) {
    give_up_summary();
    for (CallState& call : state_.calls)
      if (open(call)) finish_call(state_, call, endings::abandoned_call(call), moment_);
    add_outcomes(state_, delta);
    if (state_.round.started) add_round_end(state_, delta, RoundStatus::Error, "", moment_);
    add_finish(state_, delta, &ending, context_.publication, moment_);
    state_.flow.finishing = true;
    commit(std::move(delta));
  }

  ConversationState& state_;
  const Moment& moment_;
  const MachineContext& context_;
  Actions actions_;
};

}  // namespace

Actions advance(ConversationState& state, Event event, const Moment& moment,
                const MachineContext& context) {
  Advance step(state, moment, context);
  std::visit([&](auto&& e) { step.on(std::move(e)); }, std::move(event));
  return step.take();
}

}  // namespace ba
