#pragma once
// SPDX-License-Identifier: Apache-2.0
// Skills in a running conversation: what a call activates or ends, what is injected for it, and
// what the active ones say of a step. Used by advance(), but for the pure questions, which the
// driver asks too.

#include "pipeline/core/conversation/event.hpp"

namespace ba {

/// What is injected stands at the positions that follow those of its step's calls, or of its
/// round's human message; none behind this index.
inline constexpr int kInjectedIndexMax = 999'999;

/// The result as it becomes part of the conversation: an activation that the stack refuses (a
/// cycle, too deep) or a deactivation of a skill that isn't the newest has failed. Changes nothing;
/// of a result that has failed already, nothing either.
ToolResult with_skill_verdict(const ConversationState& state, const CallState& call,
                              ToolResult result);

/// Pushes or pops what a call that succeeded, as with_skill_verdict() has it, activates or ends;
/// what it injects stands in the call until its outcome is written, and in `injected`.
void apply_skill_call(ConversationState& state, CallState& call, const ToolResult& result,
                      const Moment& moment);

/// The round begins with the skills that the job names, active; their messages join the history.
void begin_job_skills(ConversationState& state, const Moment& moment);

/// The round is over: nothing is active, and the next step begins without modifiers.
void end_skills(ConversationState& state);

/// What the active ones say of a step.
SkillHold hold_of(const SkillStack& stack);

/// A step begins: what is active now holds in it.
void hold_skills(ConversationState& state);

/// Whether a tool may be used in the current step. The tools that activate and end skills always
/// may.
bool skills_allow(const ConversationState& state, std::string_view tool);

/// The model of the current step, and the context window of one in tokens (0: not known).
const std::string& model_in_force(const ConversationState& state);
std::int64_t window_of(const ConversationState& state, const std::string& model);
std::int64_t window_in_force(const ConversationState& state);

}  // namespace ba
