#pragma once
// SPDX-License-Identifier: Apache-2.0
// Every reason for which a job ends early, and every result of a call that was never run: one
// function each, so that codes and texts stand in one place.

#include <optional>

#include "pipeline/core/conversation/state.hpp"

namespace ba::endings {

Ending poisoned(int attempts_max);
Ending duplicate_call_ids();
Ending invalid_reply(const Error& error);
Ending refused();
Ending truncated(const ConversationState& state);
Ending empty_reply();
/// The provider paused the turn again and again.
Ending unfinished_turn(const ConversationState& state);
/// No answer of the round fits the job's schema; `violation` is what is wrong with the last one,
/// of whose text the start is told.
Ending invalid_answer(const ConversationState& state, const std::string& violation,
                      const std::string& text);
Ending context_exceeded(const ConversationState& state);
Ending model_failed(const Error& error);
Ending deadline(const ConversationState& state);
Ending cancelled();
/// It waited too long for an earlier job of its conversation.
Ending conversation_busy(const OverdueWait& wait);
Ending invalid_job(std::string message);
Ending internal(const Error& error);
/// The stored form of the job itself can't be read.
Ending unreadable_job(const JobRemains& remains, const Error& error);

/// The first limit of the profile that the state has reached: steps (with calls open, or a better
/// answer asked for), tokens, cost.
std::optional<Ending> limit_reached(const ConversationState& state);

/// For a call in a reply that was cut by its output limit.
ToolResult truncated_call(const ToolCallId& id);

/// For a call beyond the number that one reply may ask for.
ToolResult excess_call(const ConversationState& state, std::size_t index);

/// For a call that is still open when its job ends: unknown if it may have had an effect.
ToolResult abandoned_call(const CallState& call);

}  // namespace ba::endings
