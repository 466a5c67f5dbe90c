// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/make_delta.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/core/context/narrow_window.hpp"
#include "pipeline/core/context/reminder.hpp"
#include "pipeline/core/conversation/skill_steps.hpp"
#include "pipeline/core/tool/observation.hpp"
#include "pipeline/core/tool/registry.hpp"
#include "pipeline/text/message/job_time.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

MessageMeta meta_at(const ConversationState& state, const Position& position,
                    const Moment& moment) {
  const Job& job = state.job;
  return message_meta({job.job_id, job.conversation_id, job.user_id}, position, moment.wall);
}

void add_usage(ConversationState& state, const ModelReply& reply) {
  state.round.usage += reply.message.usage;
  state.bill.totals.usage += reply.message.usage;
  state.bill.totals.cost_micro_usd += reply.cost_micro_usd.value_or(0);
  state.bill.totals.cost_known = state.bill.totals.cost_known && reply.cost_micro_usd.has_value();
  state.bill.last_model = reply.provider + "/" + reply.model;
}

void add_calls(ConversationState& state, Delta& delta, const AiMessage& message,
               const ToolRegistry& tools) {
  state.calls.clear();
  for (std::size_t i = 0; i < message.tool_calls.size(); ++i) {
    CallState call;
    call.position = {state.round.number, state.round.step, static_cast<int>(i) + 1};
    call.call = message.tool_calls[i];
    // Refusing an unknown tool has no effect and may be repeated.
    const ToolRegistry::Entry* entry = tools.find(call.call.name);
    call.effect = entry ? entry->tool->descriptor().effect : EffectClass::Pure;
    ToolCallIntended intended;
    intended.position = call.position;
    intended.tool_call_id = call.call.id;
    intended.tool_name = call.call.name;
    if (entry) intended.tool_version = entry->tool->descriptor().version;
    intended.parameters = call.call.args_json;
    intended.effect = call.effect;
    delta.calls_intended.push_back(std::move(intended));
    state.calls.push_back(std::move(call));
  }
}

void add_skill_effect(Delta& delta, SkillEffect effect) {
  for (MessageRow& row : effect.injected) delta.messages_injected.push_back(std::move(row));
  if (effect.used) delta.skills_used.push_back(std::move(*effect.used));
  if (effect.done) delta.skills_done.push_back(*effect.done);
}

bool under_way(CallPhase phase) {
  return phase == CallPhase::Intended || phase == CallPhase::Starting ||
         phase == CallPhase::Startable || phase == CallPhase::Running;
}

bool runs_in_turn(const CallState& call, const ToolRegistry& tools) {
  const ToolRegistry::Entry* entry = tools.find(call.call.name);
  return entry && entry->tool->descriptor().in_turn;
}

}  // namespace

void count_lost_call(ConversationState& state) {
  ++state.bill.wasted_here;
  ++state.bill.totals.wasted_model_calls;
}

void drop_model_call(ConversationState& state) {
  state.flow.model_in_flight = false;
  count_lost_call(state);
}

Delta lost_call_delta(const ConversationState& state) {
  Delta delta;
  delta.job = state.claim.id;
  delta.conversation = state.claim.conversation;
  delta.wasted_model_calls = state.bill.wasted_here;
  return delta;
}

Delta begin_delta(ConversationState& state) {
  Delta delta = lost_call_delta(state);
  if (state.round.started && !state.round.stored) {
    RoundOpened opened;
    opened.round = state.round.number;
    opened.round_id = round_id(state.job.job_id, state.round.number);
    const MessageId id = message_id(state.job.job_id, {state.round.number, 0, 0});
    const auto human =
        std::find_if(state.history.messages.rbegin(), state.history.messages.rend(),
                     [&](const Message& message) { return meta_of(message).message_id == id; });
    BA_ASSERT(human != state.history.messages.rend());
    opened.message = std::get<HumanMessage>(*human);
    opened.idle_before = state.claim.idle;
    delta.rounds_opened.push_back(std::move(opened));
    delta.messages_injected = std::exchange(state.skills.opening_messages, {});
    delta.skills_used = std::exchange(state.skills.opening_uses, {});
    state.round.stored = true;
  }
  return delta;
}

namespace {

/// Of a copy, the first that isn't copied.
bool is_first_question(const ConversationState& state) {
  return state.round.number == 0 || state.history.tally.is_copy({state.round.number - 1, 0, 0});
}

/// Always the same for a job, whoever runs it: "last week" means nothing without a date.
void tell_job_time(const ConversationState& state, HumanMessage& message) {
  const RunProfile& profile = state.profile;
  if (!profile.tell_time || !is_first_question(state)) return;
  const TimeZone& zone = profile.time_zone;
  append_json_string(message.meta.additional_kwargs[std::string(kJobTimeKwarg)],
                     job_time_line(zone.day_at(told_job_time(state)), zone.name()));
}

}  // namespace

WallTime told_job_time(const ConversationState& state) {
  if (state.profile.job_time) return *state.profile.job_time;
  // Neither its sender nor the broker knew the time of some.
  const WallTime made_at = state.job.created_at;
  return made_at == WallTime{} ? state.claim.first_claimed_at : made_at;
}

void start_round(ConversationState& state, const Moment& moment) {
  BA_ASSERT(!state.round.started);
  HumanMessage message;
  message.meta = meta_at(state, {state.round.number, 0, 0}, moment);
  message.text = state.job.messages[static_cast<std::size_t>(state.round.number)];
  tell_job_time(state, message);
  state.history.messages.emplace_back(std::move(message));
  state.round.started = true;
  state.round.stored = false;
  state.round.started_at = moment.now;
  state.round.usage = {};
  state.round.step = 0;
  begin_job_skills(state, moment);
}

/// A word of the provider's, of its body or its headers, which may be anything.
std::string provider_word(std::string_view text) {
  constexpr std::size_t kBytesMax = 256;
  return storable(utf8_prefix(text, kBytesMax));
}

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
  state.history.messages.emplace_back(std::move(reply.message));
}

Position next_reply(const ConversationState& state) {
  return {state.round.number, state.round.step + 1, 0};
}

int refusals_here(const ConversationState& state) {
  const Position reply = next_reply(state);
  return static_cast<int>(
      std::ranges::count_if(state.context.refused, [&](const RefusedContextRow& row) {
        return row.at.round == reply.round && row.at.step == reply.step;
      }));
}

bool settled_already(const ConversationState& state) {
  const Position reply = next_reply(state);
  const auto& counts = state.context.counts;
  const bool counted = !counts.empty() && counts.back().at.round == reply.round &&
                       counts.back().at.step == reply.step;
  return counted || refusals_here(state) > 0;
}

RefusalsInForce refusals_in_force(const ConversationState& state) {
  const Position reply = next_reply(state);
  const std::string& model = model_in_force(state);
  const std::int64_t window = window_of(state, model);
  RefusalsInForce found;
  for (const RefusedContextRow& row : state.context.refused) {
    if (row.at.round != reply.round || row.at.step != reply.step) continue;
    if (row.model != model || row.of_window != window) continue;
    ++found.count;
    found.tokens = row.tokens;
  }
  return found;
}

void add_refused_context(ConversationState& state, Delta& delta, const ContextRefusal& refusal,
                         std::int64_t tokens) {
  RefusedContextRow row;
  row.at = next_reply(state);
  row.at.index = refusals_here(state) + 1;
  row.model = model_in_force(state);
  row.of_window = window_of(state, row.model);
  row.window = narrowed_window(refusal, {tokens, state.profile.max_output_tokens});
  row.tokens = tokens;
  row.told_limit = refusal.limit;
  row.told_tokens = refusal.counted;
  delta.refused_contexts.push_back(row);
  state.context.refused.push_back(std::move(row));
}

bool add_starts(ConversationState& state, Delta& delta, const ToolRegistry& tools) {
  bool any = false;
  bool one_in_turn = false;
  for (CallState& call : state.calls) {
    const bool waits = one_in_turn && runs_in_turn(call, tools);
    one_in_turn = one_in_turn || (under_way(call.phase) && runs_in_turn(call, tools));
    if (waits || call.phase != CallPhase::Intended || call.effect == EffectClass::Pure) continue;
    call.phase = CallPhase::Starting;
    const ToolRegistry::Entry* entry = tools.find(call.call.name);
    delta.calls_started.push_back(
        {call.position, entry ? entry->tool->descriptor().version : std::string()});
    any = true;
  }
  return any;
}

bool add_outcomes(ConversationState& state, Delta& delta) {
  bool any = false;
  for (CallState& call : state.calls) {
    if (call.phase != CallPhase::Finished) continue;
    call.phase = CallPhase::Saving;
    delta.calls_finished.push_back({call.position, *call.result, *call.message});
    add_skill_effect(delta, std::exchange(call.skill, {}));
    any = true;
  }
  return any;
}

void finish_call(ConversationState& state, CallState& call, ToolResult result,
                 const Moment& moment) {
  result.tool_call_id = call.call.id;
  ToolMessage message =
      observation_message(meta_at(state, call.position, moment), call.call.name, result);
  const bool success = result.state == ToolCallState::Succeeded;
  ++state.bill.totals.tool_calls;
  if (!success) ++state.bill.totals.tool_calls_failed;
  state.bill.tool_uses.push_back({call.call.name, result.duration, total_tokens(result.telemetry),
                                  success, result.retry_count > 0, result.telemetry.cache_hit});
  call.saved_tokens = result.saved_tokens;
  call.result = std::move(result);
  call.message = std::move(message);
  call.phase = CallPhase::Finished;
}

void leave_unknown(ConversationState& state, CallState& call, ToolResult result,
                   const Moment& moment) {
  // The rows of a pure call don't say that it runs, and it may run again without a question.
  const bool asks = state.profile.on_unknown == OnUnknown::WaitForPerson;
  if (!asks || call.effect == EffectClass::Pure)
    return finish_call(state, call, std::move(result), moment);
  call.phase = CallPhase::Unresolved;
}

void close_step(ConversationState& state) {
  for (CallState& call : state.calls) {
    BA_ASSERT(call.phase == CallPhase::Saved && call.message.has_value());
    state.history.messages.emplace_back(std::move(*call.message));
    state.history.saved_tokens += call.saved_tokens;
  }
  state.calls.clear();
  for (Message& message : state.skills.injected)
    state.history.messages.push_back(std::move(message));
  state.skills.injected.clear();
}

void add_reminder(ConversationState& state, const RefocusRules& rules, const Moment& moment) {
  if (rules.every_steps <= 0 || state.round.step == 0 || state.round.step % rules.every_steps != 0)
    return;
  const Position position{state.round.number, state.round.step, kReminderIndex};
  const MessageId id = message_id(state.job.job_id, position);
  if (meta_of(state.history.messages.back()).message_id == id)
    return;  // after a crash: it is durable
  ReminderFacts facts;
  facts.round = state.round.number + 1;
  facts.task = state.job.messages[static_cast<std::size_t>(state.round.number)];
  facts.steps_left = state.profile.limits.steps_per_round_max - state.round.step;
  ReminderRow row;
  row.position = position;
  row.message.meta = meta_at(state, row.position, moment);
  row.message.meta.additional_kwargs["isMeta"] = "true";
  row.message.text = reminder_text(facts, rules);
  state.history.messages.emplace_back(row.message);
  state.history.reminders_unsaved.push_back(std::move(row));
}

void note_summary_call(ConversationState& state, bool paid) {
  state.summaries.out->state = paid ? SummaryState::Writing : SummaryState::Failed;
}

void end_summary(ConversationState& state, SummaryRow row) {
  state.summaries.out.reset();
  if (row.state == SummaryState::Lost) count_lost_call(state);
  count_summary(state.bill.totals, row);
  state.summaries.ended.push_back(std::move(row));
}

void count_summary(JobTotals& totals, const SummaryRow& row) {
  if (!row.reused && row.model.empty()) return;
  const Savings cost = cost_of_summary(row.usage, row.cost_micro_usd);
  totals.savings -= cost;
  if (row.reused) {
    totals.savings.shared_results += cost.compression;
    return;
  }
  totals.usage += row.usage;
  totals.cost_micro_usd += row.cost_micro_usd.value_or(0);
  totals.cost_known = totals.cost_known && row.cost_micro_usd.has_value();
}

void add_context(ConversationState& state, Delta& delta) {
  std::vector<SummaryRow> later;
  for (SummaryRow& row : state.summaries.ended) {
    if (state.flow.model_resting && row.state == SummaryState::Ready) {
      later.push_back(std::move(row));
      continue;
    }
    // Where the reply that comes next was asked for already, or what is sent for it was counted, it
    // is asked for without it.
    row.after = settled_already(state) ? next_reply(state) : state.context.last_reply;
    delta.summaries.push_back(row);
    if (row.state == SummaryState::Ready) state.summaries.saving.push_back(std::move(row));
  }
  state.summaries.ended = std::move(later);
  if (state.flow.model_resting) return;
  delta.reminders = std::exchange(state.history.reminders_unsaved, {});
  delta.compressions = std::exchange(state.history.compressions_unsaved, {});
}

void add_round_end(ConversationState& state, Delta& delta, RoundStatus status,
                   const std::string& answer, const Moment& moment) {
  RoundClosed closed;
  closed.round = state.round.number;
  closed.status = status;
  closed.final_answer = answer;
  closed.usage = state.round.usage;
  closed.latency = std::chrono::duration_cast<Milliseconds>(moment.now - state.round.started_at);
  delta.rounds_closed.push_back(std::move(closed));
  ++state.bill.totals.rounds;
}

}  // namespace ba
