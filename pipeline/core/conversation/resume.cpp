// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/resume.hpp"

#include <algorithm>

#include "pipeline/core/conversation/answer_repair.hpp"
#include "pipeline/core/conversation/call_steps.hpp"
#include "pipeline/core/conversation/context_steps.hpp"
#include "pipeline/core/conversation/endings.hpp"
#include "pipeline/core/conversation/make_delta.hpp"
#include "pipeline/core/conversation/skill_steps.hpp"
#include "pipeline/core/conversation/stored_skills.hpp"
#include "pipeline/core/tool/observation.hpp"

namespace ba {
namespace {

Error corrupt(const Job& job, const std::string& what) {
  Error error;
  error.code = ErrorCode::Corrupt;
  error.message = "stored rows of job " + job.tenant.value + "/" + job.job_id.value +
                  " contradict each other: " + what;
  return error;
}

void restore_rounds(ConversationState& state, const std::vector<StoredRound>& rounds) {
  for (const StoredRound& round : rounds) {
    state.bill.totals.usage += round.usage;
    state.bill.totals.cost_micro_usd += round.cost_micro_usd;
    state.bill.totals.cost_known = state.bill.totals.cost_known && round.cost_known;
    state.bill.totals.steps += round.steps;
    state.bill.totals.savings += round.savings;
    if (!round.last_model.empty()) state.bill.last_model = round.last_model;
    if (round.status == RoundStatus::Completed) {
      state.answers.push_back({round.round, round.final_answer});
      ++state.bill.totals.rounds;
      state.round.number = round.round + 1;
      state.round.started = state.round.stored = false;
    } else {
      state.round.number = round.round;
      state.round.started = state.round.stored = true;
      state.round.usage = round.usage;
    }
  }
}

void restore_sub_agents(ConversationState& state, const SubAgentUse& use) {
  state.bill.sub_agents = use.agents;
  add(state.bill.totals, use.spent);
}

/// One that was being written was being paid, as far as anybody knows.
void restore_summaries(ConversationState& state, std::vector<SummaryRow> rows) {
  for (SummaryRow& row : rows) {
    if (row.state == SummaryState::Ready && !row.text.empty())
      state.summaries.durable.push_back(row);
    count_summary(state.bill.totals, row);
    if (row.state != SummaryState::Writing) continue;
    row.state = SummaryState::Lost;
    end_summary(state, std::move(row));
  }
}

void restore_use(ConversationState& state, const StoredToolCall& call) {
  const bool success = call.state == ToolCallState::Succeeded;
  ++state.bill.totals.tool_calls;
  if (!success) ++state.bill.totals.tool_calls_failed;
  if (call.copied) return;  // the report of the job that it was made in has it
  state.bill.tool_uses.push_back(
      {call.tool_name, call.duration, call.tokens, success, call.retry_count > 0, call.cache_hit});
}

void restore_tally(ConversationState& state, const StoredTally& tally) {
  state.history.compressions = tally.compressions;
  state.history.tally = tally;
}

bool decided(const StoredToolCall& call) {
  return call.state != ToolCallState::Intended && call.state != ToolCallState::Running;
}

/// What a call of the open step goes on as, by its state and declared effect.
void restore_call(ConversationState& state, CallState& call, const StoredToolCall& stored,
                  const Moment& moment) {
  if (stored.state == ToolCallState::Intended) return;
  if (stored.effect != EffectClass::Once) {
    call.phase = CallPhase::Startable;
    call.maybe_done = stored.effect != EffectClass::Pure;
    if (call.maybe_done) call.begun_version = stored.tool_version;
    return;
  }
  leave_unknown(state, call, unknown_result(call.call.id), moment);
}

/// The calls of the job's last reply, if any of them has no durable result yet; else they are
/// history like all others.
Result<void> restore_open_step(ConversationState& state, const StoredJob& stored,
                               const AiMessage& reply, const Moment& moment) {
  for (std::size_t i = 0; i < reply.tool_calls.size(); ++i) {
    CallState call;
    call.position = {state.round.number, state.round.step, static_cast<int>(i) + 1};
    call.call = reply.tool_calls[i];
    const auto row = std::find_if(stored.calls.begin(), stored.calls.end(),
                                  [&](const auto& c) { return c.position == call.position; });
    if (row == stored.calls.end())
      return corrupt(state.job, "no row for tool call " + call.call.id.value);
    call.effect = row->effect;
    if (!decided(*row)) {
      restore_call(state, call, *row, moment);
    } else {
      const auto message =
          std::find_if(stored.messages.begin(), stored.messages.end(),
                       [&](const MessageRow& m) { return m.position == call.position; });
      if (message == stored.messages.end() ||
          !std::holds_alternative<ToolMessage>(message->message))
        return corrupt(state.job, "no observation for tool call " + call.call.id.value);
      call.message = std::get<ToolMessage>(message->message);
      call.phase = CallPhase::Saved;
      call.saved_tokens = row->saved_tokens;
    }
    state.calls.push_back(std::move(call));
  }
  return {};
}

bool is_job_reply(const MessageRow& row) {
  return std::holds_alternative<AiMessage>(row.message) && row.position.index == 0;
}

const MessageRow* last_reply(const StoredJob& stored) {
  const auto row = std::find_if(stored.messages.rbegin(), stored.messages.rend(), is_job_reply);
  return row == stored.messages.rend() ? nullptr : &*row;
}

bool same_step(const Position& one, const Position& other) {
  return one.round == other.round && one.step == other.step;
}

/// Whether a call of the reply has brought it.
bool injected(const MessageRow& row, const MessageRow& reply) {
  const auto calls = std::get<AiMessage>(reply.message).tool_calls.size();
  const int index = row.position.index;
  return static_cast<std::size_t>(index) > calls && index <= kInjectedIndexMax;
}

ConversationState claimed_state(const ClaimedJob& claimed, const Moment& moment) {
  ConversationState state;
  state.claim.id = claimed.id;
  state.claim.conversation = claimed.conversation;
  state.claim.asked_by = claimed.asked_by;
  state.claim.attempt = claimed.attempt;
  state.claim.after_crash = claimed.after_crash;
  state.claim.created_at = claimed.created_at;
  state.claim.first_claimed_at = claimed.first_claimed_at;
  state.claim.idle = claimed.idle;
  state.round.started_at = moment.now;
  return state;
}

/// By the wall clocks of its workers, without what the job was idle in this round.
void restore_round_start(ConversationState& state, const StoredJob& stored, const Moment& moment) {
  const Position question{state.round.number, 0, 0};
  const auto row = std::ranges::find(stored.messages, question, &MessageRow::position);
  const auto round = std::ranges::find(stored.rounds, state.round.number, &StoredRound::round);
  if (row == stored.messages.end() || stored.tally.is_copy(question)) return;
  const Milliseconds before = round == stored.rounds.end() ? Milliseconds(0) : round->idle_before;
  const Microseconds since_question = moment.wall - meta_of(row->message).timestamp;
  state.round.started_at -= std::max(Microseconds(0), since_question - (state.claim.idle - before));
}

}  // namespace

ConversationState salvage(SalvageInput input, const Moment& moment) {
  ConversationState state = claimed_state(input.claimed, moment);
  state.job = std::move(input.job);
  state.claim.worker_version = std::move(input.worker_version);
  state.profile = std::move(input.profile);
  state.bill.totals.wasted_model_calls = input.remains.wasted_model_calls;
  restore_rounds(state, input.remains.rounds);
  restore_sub_agents(state, input.remains.sub_agents);
  restore_summaries(state, std::move(input.remains.summaries));
  count_skills(state, input.remains.skills, input.remains.tally);
  restore_tally(state, input.remains.tally);
  state.history.unread = input.remains.tally.messages;
  for (const StoredToolCall& stored : input.remains.calls) {
    if (decided(stored)) {
      restore_use(state, stored);
      continue;
    }
    CallState call;
    call.position = stored.position;
    call.call.id = stored.tool_call_id;
    call.call.name = stored.tool_name;
    call.effect = stored.effect;
    if (stored.state == ToolCallState::Running) call.phase = CallPhase::Running;
    state.calls.push_back(std::move(call));
  }
  // The attempt before this one may have died waiting for the model.
  if (state.claim.after_crash && state.calls.empty()) count_lost_call(state);
  return state;
}

Result<ConversationState> resume(ResumeInput input, const Moment& moment) {
  ConversationState state = claimed_state(input.claimed, moment);
  state.job = std::move(input.job);
  state.claim.worker_version = std::move(input.worker_version);
  state.profile = std::move(input.profile);
  state.history.messages = std::move(input.stored.history);
  state.history.earlier = state.history.messages.size();
  state.bill.totals.wasted_model_calls = input.stored.wasted_model_calls;
  restore_rounds(state, input.stored.rounds);
  restore_round_start(state, input.stored, moment);
  restore_sub_agents(state, input.stored.sub_agents);
  restore_summaries(state, std::move(input.stored.summaries));
  state.context.refused = std::move(input.stored.refused_contexts);
  state.context.counts = std::move(input.stored.exact_counts);
  restore_tally(state, input.stored.tally);
  state.history.copied = std::ranges::count_if(input.stored.messages, [&](const MessageRow& row) {
    return input.stored.tally.is_copy(row.position);
  });
  for (const StoredToolCall& call : input.stored.calls)
    if (decided(call)) restore_use(state, call);

  state.round.answer_repairs = answer_repairs_of(input.stored.messages, state.round.number);
  const MessageRow* reply = last_reply(input.stored);
  if (reply != nullptr) state.context.last_reply = reply->position;
  const MessageRow* reminder = nullptr;  // of the open step, behind its results
  const bool open_step = state.round.started && reply &&
                         reply->position.round == state.round.number &&
                         !std::get<AiMessage>(reply->message).tool_calls.empty();
  for (MessageRow& row : input.stored.messages) {
    if (row.position.round == state.round.number && row.position.index == 0)
      state.round.step = std::max(state.round.step, row.position.step);
    const bool held_back =
        open_step && row.position.index > 0 && same_step(row.position, reply->position);
    if (!held_back) state.history.messages.push_back(row.message);
    if (held_back && row.position.index == kReminderIndex) reminder = &row;
    if (held_back && injected(row, *reply)) state.skills.injected.push_back(row.message);
  }
  if (auto restored = restore_skills(state, input.stored.skills, input.stored.tally); !restored)
    return corrupt(state.job, restored.error().message);
  for (const MessageRow& row : input.stored.messages)
    if (is_job_reply(row))
      state.history.asked_of.push_back(model_asked_for(state, input.stored.skills, row.position));
  state.history.saved_tokens = input.stored.earlier_saved_tokens;
  for (const StoredToolCall& call : input.stored.calls)
    if (!open_step || !same_step(call.position, reply->position))
      state.history.saved_tokens += call.saved_tokens;
  if (open_step) {
    const AiMessage message = std::get<AiMessage>(reply->message);
    auto restored = restore_open_step(state, input.stored, message, moment);
    if (!restored) return restored.error();
    const bool closed = std::all_of(state.calls.begin(), state.calls.end(), [](const auto& call) {
      return call.phase == CallPhase::Saved;
    });
    if (closed) close_step(state);
    if (closed && reminder != nullptr) state.history.messages.push_back(reminder->message);
  }
  return state;
}

}  // namespace ba
