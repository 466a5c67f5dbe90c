// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/make_delta.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/core/conversation/skill_steps.hpp"
#include "pipeline/text/message/job_time.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
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

MessageMeta meta_at(const ConversationState& state, const Position& position,
                    const Moment& moment) {
  const Job& job = state.job;
  return message_meta({job.job_id, job.conversation_id, job.user_id}, position, moment.wall);
}

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
  state.history.messages.push_back(std::move(message));
  state.round.started = true;
  state.round.stored = false;
  state.round.started_at = moment.now;
  state.round.usage = {};
  state.round.step = 0;
  begin_job_skills(state, moment);
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
