#pragma once
// SPDX-License-Identifier: Apache-2.0
// Answers that can't be taken as they are: they don't fit the form that the job wants
// (Job::answer_schema), are empty, or aren't over. The model is asked again by a hidden message,
// which is durable with the reply that it is about: a job that is resumed asks for no answer twice,
// and knows how often it has asked.

#include "pipeline/core/conversation/event.hpp"

namespace ba {

/// Index of the message that asks for a better answer, within the step of the reply; such a reply
/// has no tool calls, whose results would stand there.
inline constexpr int kAnswerRepairIndex = 1;

/// The answer as it is stored and published; or, for the model, what is wrong with it.
Result<std::string> read_final_answer(const ConversationState& state, const std::string& text);

/// Adds to the last reply of the delta, and to the history, what the model is told of it.
void add_answer_repair(ConversationState& state, Delta& delta, const std::string& violation,
                       const Moment& moment);

/// Why a reply without calls is no answer yet.
enum class TurnState {
  Empty,   ///< neither text nor a call: some models end so after a tool's result
  Paused,  ///< the provider wants to be asked to go on (Anthropic: stop reason pause_turn)
};

/// As add_answer_repair(), for a turn that goes on.
void add_go_on(ConversationState& state, Delta& delta, TurnState turn, const Moment& moment);

/// The text of the newest reply, behind those of the same turn that were paused. Hidden messages
/// and empty replies between them are none of it.
std::string text_of_turn(const ConversationState& state);

/// How many answers of the open round have been asked for again.
int answer_repairs_of(const std::vector<MessageRow>& messages, int round);

}  // namespace ba
