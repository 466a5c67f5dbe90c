// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/skill_steps.hpp"

#include "pipeline/base/assert.hpp"
#include "pipeline/core/context/narrow_window.hpp"
#include "pipeline/core/conversation/make_delta.hpp"
#include "pipeline/core/skill/skill_meta_tools.hpp"
#include "pipeline/core/tool/observation.hpp"
#include "pipeline/text/contract/result_id.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/validate.hpp"

namespace ba {
namespace {

bool succeeded_as(const CallState& call, const ToolResult& result, std::string_view tool) {
  return result.state == ToolCallState::Succeeded && call.call.name == tool;
}

/// What the call asked for: the same that the tool was asked for, as it is a pure function.
SkillAnswer answer_to(const ConversationState& state, const CallState& call) {
  SkillRequest request = skill_request_of(call.call.args_json);
  request.job = state.claim.id;
  request.key = effect_key(state.job.tenant, state.job.job_id, call.position, call.call.name);
  return read_skill(state.skills.known, request);
}

ToolResult failed(ToolResult result, ToolError error, const ToolCallId& id) {
  result.state = ToolCallState::Failed;
  result.error = presentable(std::move(error));
  result.observation = error_observation(result.error, id);
  result.artifact_id.clear();
  result.data_size_bytes = 0;
  result.data_hash.clear();
  result.data_summary.clear();
  result.note.clear();
  result.saved_tokens = 0;
  return result;
}

/// Hidden ones first: a request must not end with what looks like a model's own words, which
/// providers take for the beginning of the answer. As one message: some refuse two of a model's in
/// a row.
std::vector<SkillMessage> in_order(std::vector<SkillMessage> messages) {
  SkillMessage hidden{SkillMessageKind::Instruction, "", SkillVisibility::Hidden};
  std::vector<SkillMessage> ordered;
  for (SkillMessage& message : messages) {
    if (message.visibility == SkillVisibility::Visible) {
      ordered.push_back(std::move(message));
      continue;
    }
    if (!hidden.content.empty()) hidden.content += "\n\n";
    hidden.content += message.content;
  }
  if (!hidden.content.empty()) ordered.insert(ordered.begin(), std::move(hidden));
  return ordered;
}

/// Marked with the skill's name, so that nobody takes it for what the user or the model said.
Message message_of(const ConversationState& state, const std::string& skill,
                   const SkillMessage& message, const Position& position, const Moment& moment) {
  MessageMeta meta = meta_at(state, position, moment);
  append_json_string(meta.additional_kwargs["skill"], skill);
  if (message.visibility == SkillVisibility::Visible)
    return HumanMessage{std::move(meta), message.content};
  meta.additional_kwargs["isMeta"] = "true";
  AiMessage hidden;
  hidden.meta = std::move(meta);
  hidden.text = message.content;
  return hidden;
}

/// At the positions from `first` on.
std::vector<MessageRow> rows_of(const ConversationState& state, const SkillActivation& activation,
                                Position first, const Moment& moment) {
  std::vector<MessageRow> rows;
  for (const SkillMessage& message : in_order(activation.messages)) {
    rows.push_back({first, message_of(state, activation.skill_name, message, first, moment)});
    BA_ASSERT(validate_message(rows.back().message));  // checked when the skill was read
    ++first.index;
  }
  return rows;
}

SkillUsed use_of(ConversationState& state, const SkillActivation& activation,
                 const Position& position) {
  const Skill& skill = *state.skills.known.offered.at(activation.skill_name);
  SkillUsed used;
  used.position = position;
  used.skill = skill.name;
  used.hash = skill.hash;
  if (state.skills.stored.insert(skill.hash).second) used.content = skill_json(skill);
  return used;
}

/// On the stack; without its messages, which stand in the history.
void push(ConversationState& state, SkillActivation activation, SkillUsed& used) {
  used.activation_id = activation.activation_id;
  used.depth = static_cast<int>(state.skills.known.stack.active().size()) + 1;
  state.skills.activated_at[activation.activation_id] = used.position;
  state.skills.uses.push_back(activation.skill_name);
  activation.messages.clear();
  const auto refused = state.skills.known.stack.push(std::move(activation));
  BA_ASSERT(!refused);
}

void apply_activation(ConversationState& state, CallState& call, const Moment& moment) {
  auto activation = std::get<SkillActivation>(answer_to(state, call));
  Position next = call.position;
  next.index = static_cast<int>(state.calls.size() + state.skills.injected.size()) + 1;
  call.skill.injected = rows_of(state, activation, next, moment);
  for (const MessageRow& row : call.skill.injected) state.skills.injected.push_back(row.message);
  SkillUsed used = use_of(state, activation, call.position);
  if (activation.activates) push(state, std::move(activation), used);
  call.skill.used = std::move(used);
}

void apply_end(ConversationState& state, CallState& call) {
  const SkillEnd end = skill_end_of(call.call.args_json);
  const auto refused = state.skills.known.stack.pop(end.name, end.activation_id);
  BA_ASSERT(!refused);
  const auto at = state.skills.activated_at.extract(end.activation_id);
  BA_ASSERT(!at.empty());
  call.skill.done = SkillDone{at.mapped(), state.round.step};
}

}  // namespace

ToolResult with_skill_verdict(const ConversationState& state, const CallState& call,
                              ToolResult result) {
  if (succeeded_as(call, result, kActivateSkillTool)) {
    SkillAnswer answer = answer_to(state, call);
    if (auto* error = std::get_if<ToolError>(&answer))
      return failed(std::move(result), std::move(*error), call.call.id);
    auto& activation = std::get<SkillActivation>(answer);
    SkillStack stack = state.skills.known.stack;
    if (activation.activates) {
      result.telemetry.skill = activation.skill_name;
      result.telemetry.activation_id = activation.activation_id;
      if (auto refused = stack.push(std::move(activation)))
        return failed(std::move(result), std::move(*refused), call.call.id);
    }
  }
  if (succeeded_as(call, result, kDeactivateSkillTool)) {
    const SkillEnd end = skill_end_of(call.call.args_json);
    SkillStack stack = state.skills.known.stack;
    if (auto refused = stack.pop(end.name, end.activation_id))
      return failed(std::move(result), std::move(*refused), call.call.id);
  }
  return result;
}

void apply_skill_call(ConversationState& state, CallState& call, const ToolResult& result,
                      const Moment& moment) {
  if (succeeded_as(call, result, kActivateSkillTool)) apply_activation(state, call, moment);
  if (succeeded_as(call, result, kDeactivateSkillTool)) apply_end(state, call);
}

void begin_job_skills(ConversationState& state, const Moment& moment) {
  int number = 0;
  Position next{state.round.number, 0, 1};
  for (const std::string& name : state.job.skills) {
    const auto skill = state.skills.known.offered.find(name);
    if (skill == state.skills.known.offered.end()) continue;  // the job is refused then
    const Position at{state.round.number, 0, ++number};
    SkillActivation activation = job_activation(
        *skill->second, effect_key(state.job.tenant, state.job.job_id, at, kActivateSkillTool));
    for (MessageRow& row : rows_of(state, activation, next, moment)) {
      ++next.index;
      state.history.messages.push_back(row.message);
      state.skills.opening_messages.push_back(std::move(row));
    }
    SkillUsed used = use_of(state, activation, at);
    push(state, std::move(activation), used);
    state.skills.opening_uses.push_back(std::move(used));
  }
}

void end_skills(ConversationState& state) {
  state.skills.known.stack.clear();
  state.skills.activated_at.clear();
}

SkillHold hold_of(const SkillStack& stack) { return {stack.allowed_tools(), stack.model()}; }

void hold_skills(ConversationState& state) {
  state.skills.hold = hold_of(state.skills.known.stack);
}

bool skills_allow(const ConversationState& state, std::string_view tool) {
  if (tool == kActivateSkillTool || tool == kDeactivateSkillTool) return true;
  const auto& allowed = state.skills.hold.allowed_tools;
  return !allowed || allowed->contains(std::string(tool));
}

const std::string& model_in_force(const ConversationState& state) {
  return state.skills.hold.model.empty() ? state.profile.model : state.skills.hold.model;
}

std::int64_t window_of(const ConversationState& state, const std::string& model) {
  if (model == state.profile.model) return state.profile.context_window;
  const auto window = state.profile.windows.find(model);
  return window == state.profile.windows.end() ? 0 : window->second;
}

std::int64_t window_in_force(const ConversationState& state) {
  const std::string& model = model_in_force(state);
  return window_after(state.context.refused, model, window_of(state, model));
}

}  // namespace ba
