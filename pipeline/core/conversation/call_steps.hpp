#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tool calls of the current step on their way: intended, started, finished, and in the history.
// Used by advance() and resume().

#include "pipeline/core/conversation/event.hpp"

namespace ba {

class ToolRegistry;

/// The calls of a reply that was just added, with their rows.
void add_calls(ConversationState& state, Delta& delta, const AiMessage& message,
               const ToolRegistry& tools);

/// Every call in phase Intended that needs a start record: to Starting. Of tools whose calls run in
/// turn, only the first that has not come to rest.
bool add_starts(ConversationState& state, Delta& delta, const ToolRegistry& tools);

/// Every call in phase Finished: to Saving.
bool add_outcomes(ConversationState& state, Delta& delta);

/// Gives a call its result and observation message: to Finished.
void finish_call(ConversationState& state, CallState& call, ToolResult result,
                 const Moment& moment);

/// What became of the call is not known: that is its result, or it is left to a person.
void leave_unknown(ConversationState& state, CallState& call, ToolResult result,
                   const Moment& moment);

/// All calls are saved: their observations join the history, in order, then what was injected.
void close_step(ConversationState& state);

}  // namespace ba
