#pragma once
// SPDX-License-Identifier: Apache-2.0
// Answers of a job that wants them in a form (Job::answer_schema). What doesn't fit is asked for
// again by a hidden message, which is durable with the reply that it is about: a job that is
// resumed asks for no answer twice, and knows how often it has asked.

#include "pipeline/conversation/event.hpp"

namespace ba {

/// Index of the message that asks for a better answer, within the step of the reply; such a reply
/// has no tool calls, whose results would stand there.
inline constexpr int kAnswerRepairIndex = 1;

/// The answer as it is stored and published; or, for the model, what is wrong with it.
Result<std::string> read_final_answer(const ConversationState& state, const std::string& text);

/// Adds to the last reply of the delta, and to the history, what the model is told of it.
void add_answer_repair(ConversationState& state, Delta& delta, const std::string& violation,
                       const Moment& moment);

/// How many answers of the open round have been asked for again.
int answer_repairs_of(const std::vector<MessageRow>& messages, int round);

}  // namespace ba
