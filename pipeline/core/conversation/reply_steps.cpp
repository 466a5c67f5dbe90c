// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/reply_steps.hpp"

#include <utility>

#include "pipeline/core/conversation/answer_repair.hpp"
#include "pipeline/core/conversation/call_steps.hpp"
#include "pipeline/core/conversation/context_steps.hpp"
#include "pipeline/core/conversation/endings.hpp"
#include "pipeline/core/conversation/make_delta.hpp"
#include "pipeline/core/conversation/skill_steps.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

bool blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

void add_usage(ConversationState& state, const ModelReply& reply) {
  state.round.usage += reply.message.usage;
  state.bill.totals.usage += reply.message.usage;
  state.bill.totals.cost_micro_usd += reply.cost_micro_usd.value_or(0);
  state.bill.totals.cost_known = state.bill.totals.cost_known && reply.cost_micro_usd.has_value();
  state.bill.last_model = reply.provider + "/" + reply.model;
}

/// A word of the provider's, of its body or its headers, which may be anything.
std::string provider_word(std::string_view text) {
  constexpr std::size_t kBytesMax = 256;
  return storable(utf8_prefix(text, kBytesMax));
}

/// The calls are added with it.
void add_reply(ConversationState& state, Delta& delta, event::ModelAnswered event,
               const Moment& moment, const ToolRegistry& tools) {
  ModelReply& reply = event.reply;
  ++state.round.step;
  ++state.bill.totals.steps;
  add_usage(state, reply);
  const SpareTokens spare{state.history.saved_tokens, event.left_out};
  const Savings savings = savings_of_call(reply.message.usage, spare, reply.input_prices);
  state.bill.totals.savings += savings;
  reply.message.meta = meta_at(state, {state.round.number, state.round.step, 0}, moment);
  add_calls(state, delta, reply.message, tools);
  state.context.last_reply = {state.round.number, state.round.step, 0};
  StepReplied step;
  step.round = state.round.number;
  step.step = state.round.step;
  step.message = reply.message;
  step.stop_reason = provider_word(reply.raw_stop.empty() ? to_string(reply.stop) : reply.raw_stop);
  step.provider = std::move(reply.provider);
  step.model = provider_word(reply.model);
  step.provider_request_id = provider_word(reply.provider_request_id);
  step.request_hash = std::move(reply.request_hash);
  step.cost_micro_usd = reply.cost_micro_usd;
  step.tries = reply.tries;
  step.wasted_calls = reply.wasted_calls;
  step.latency = reply.latency;
  step.estimated_input_tokens = event.estimated_input;
  step.savings = savings;
  step.savings_priced = reply.input_prices.has_value();
  delta.steps.push_back(std::move(step));
  state.history.asked_of.push_back(model_in_force(state));
  state.history.messages.push_back(std::move(reply.message));
}

/// One reply; what comes of it gathers in `taken_`.
class TakeReply {
 public:
  TakeReply(ConversationState& state, const Moment& moment) : state_(state), moment_(moment) {}

  ReplyTaken take(event::ModelAnswered event, const ToolRegistry& tools) {
    const StopReason stop = event.reply.stop;
    const ContextRefusal told = event.reply.told;
    const auto estimated_input = event.estimated_input;
    taken_.delta = begin_delta(state_);
    add_reply(state_, taken_.delta, std::move(event), moment_, tools);
    if (stop == StopReason::Refusal)
      taken_.ending = endings::refused();
    else if (!state_.calls.empty())
      on_calls(stop);
    else if (stop == StopReason::ContextExceeded)
      on_full_context(told, estimated_input);
    else
      on_text(stop);
    return std::move(taken_);
  }

 private:
  void on_calls(StopReason stop) {
    if (stop == StopReason::MaxTokens) {
      // A cut call is never run: the model reads why and may ask again.
      for (CallState& call : state_.calls)
        finish_call(state_, call, endings::truncated_call(call.call.id), moment_);
    }
    const auto calls_max = static_cast<std::size_t>(state_.profile.limits.tool_calls_per_step_max);
    for (std::size_t i = calls_max; i < state_.calls.size(); ++i)
      if (state_.calls[i].phase == CallPhase::Intended)
        finish_call(state_, state_.calls[i], endings::excess_call(state_, i), moment_);
    add_outcomes(state_, taken_.delta);
    taken_.ending = endings::limit_reached(state_);
  }

  /// A paid reply that found no room to say anything: with a shorter history it goes on.
  void on_full_context(const ContextRefusal& told, std::optional<std::int64_t> tokens) {
    if (tokens) add_refused_context(state_, taken_.delta, told, *tokens);
    if (!tokens || no_repair_left())
      taken_.ending = endings::context_exceeded(state_);
    else
      go_on(TurnState::Empty);
  }

  void on_text(StopReason stop) {
    const std::string text = text_of_turn(state_);
    if (stop == StopReason::MaxTokens) {
      if (!text.empty() && state_.job.answer_schema.empty())
        state_.answers.push_back({state_.round.number, text});
      taken_.ending = endings::truncated(state_);
      return;
    }
    if (stop == StopReason::Other) return go_on(TurnState::Paused);
    if (blank(text)) return go_on(TurnState::Empty);
    Result<std::string> final_answer = read_final_answer(state_, text);
    if (!final_answer) return ask_again(final_answer.error().message, text);
    taken_.answer = std::move(*final_answer);
  }

  /// The model said nothing, or its turn isn't over: paid steps are not given up for that.
  void go_on(TurnState turn) {
    if (no_repair_left())
      taken_.ending =
          turn == TurnState::Empty ? endings::empty_reply() : endings::unfinished_turn(state_);
    else if (may_ask_again())
      add_go_on(state_, taken_.delta, turn, moment_);
  }

  /// The answer doesn't fit the job's schema.
  void ask_again(const std::string& violation, const std::string& text) {
    if (no_repair_left())
      taken_.ending = endings::invalid_answer(state_, violation, text);
    else if (may_ask_again())
      add_answer_repair(state_, taken_.delta, violation, moment_);
  }

  bool no_repair_left() const {
    return state_.round.answer_repairs >= state_.profile.limits.answer_repairs_max;
  }

  /// A better one costs like any other step.
  bool may_ask_again() {
    ++state_.round.answer_repairs;
    taken_.ending = endings::limit_reached(state_);
    return !taken_.ending;
  }

  ConversationState& state_;
  const Moment& moment_;
  ReplyTaken taken_;
};

}  // namespace

ReplyTaken take_reply(ConversationState& state, event::ModelAnswered event, const Moment& moment,
                      const ToolRegistry& tools) {
  return TakeReply(state, moment).take(std::move(event), tools);
}

}  // namespace ba
