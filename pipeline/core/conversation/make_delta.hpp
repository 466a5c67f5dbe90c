#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where the rows of a step begin: calls of models that were lost, and rounds. What else a step
// makes durable is in the *_steps: each function fills in the part of a Delta that it is named
// after, and marks in the state what that delta covers.

#include "pipeline/core/conversation/event.hpp"

namespace ba {

/// Of a message of the job that is made now.
MessageMeta meta_at(const ConversationState& state, const Position& position, const Moment& moment);

/// One more model call may have been paid for nothing.
void count_lost_call(ConversationState& state);

/// The model call that is in flight is dropped, and may have been paid.
void drop_model_call(ConversationState& state);

/// Nothing but how many model calls were lost: durable before money is spent again.
Delta lost_call_delta(const ConversationState& state);

/// An empty delta of this job, with the round's opening if that is not durable yet.
Delta begin_delta(ConversationState& state);

/// The time whose day the job's first question tells: when the job was made, or, where that isn't
/// known, first claimed. Of a sub-agent's job: that of the job that asked for it.
WallTime told_job_time(const ConversationState& state);

/// Appends the human message of the current round to the history, and what the job's skills bring.
void start_round(ConversationState& state, const Moment& moment);

/// Closes the current round in the delta.
void add_round_end(ConversationState& state, Delta& delta, RoundStatus status,
                   const std::string& answer, const Moment& moment);

}  // namespace ba
