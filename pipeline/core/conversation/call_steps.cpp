// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/call_steps.hpp"

#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/core/conversation/make_delta.hpp"
#include "pipeline/core/tool/observation.hpp"
#include "pipeline/core/tool/registry.hpp"

namespace ba {
namespace {

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
    state.history.messages.push_back(std::move(*call.message));
    state.history.saved_tokens += call.saved_tokens;
  }
  state.calls.clear();
  for (Message& message : state.skills.injected)
    state.history.messages.push_back(std::move(message));
  state.skills.injected.clear();
}

}  // namespace ba
