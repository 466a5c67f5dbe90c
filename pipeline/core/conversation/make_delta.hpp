#pragma once
// SPDX-License-Identifier: Apache-2.0
// Builds what a step makes durable. Each function fills in the part of a Delta it is named after
// and marks in the state what that delta covers.

#include "pipeline/core/context/compression_rules.hpp"
#include "pipeline/core/conversation/event.hpp"

namespace ba {

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

/// The model's reply as history message and as rows, with what its call has saved; intends its tool
/// calls.
void add_reply(ConversationState& state, Delta& delta, event::ModelAnswered event,
               const Moment& moment, const class ToolRegistry& tools);

/// Where the reply stands that comes next.
Position next_reply(const ConversationState& state);

/// Refusals of the reply that comes next.
int refusals_here(const ConversationState& state);

/// Whether what is sent for that reply was settled, at least for a while: it was refused, or
/// counted.
bool settled_already(const ConversationState& state);

/// Of these the ones by the model and the window that are in force: what others refused says
/// nothing of what these take.
struct RefusalsInForce {
  int count = 0;
  std::int64_t tokens = 0;  ///< that the last one refused
};
RefusalsInForce refusals_in_force(const ConversationState& state);

/// The provider refused what it was sent: from now on the model's window is smaller.
void add_refused_context(ConversationState& state, Delta& delta, const ContextRefusal& refusal,
                         std::int64_t tokens);

/// Every call in phase Intended that needs a start record: to Starting. Of tools whose calls run in
/// turn, only the first that has not come to rest.
bool add_starts(ConversationState& state, Delta& delta, const class ToolRegistry& tools);

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

/// Reminds the model of its task, where that is due: as the history's next message.
void add_reminder(ConversationState& state, const RefocusRules& rules, const Moment& moment);

/// Whether the model that is asked for the summary may be paid by now: else nothing can be lost
/// with it.
void note_summary_call(ConversationState& state, bool paid);

/// A summary that has ended: what it cost is the job's.
void end_summary(ConversationState& state, SummaryRow row);

/// What a summary that has ended cost, or, where an earlier one is used again, has saved.
void count_summary(JobTotals& totals, const SummaryRow& row);

/// What is not durable yet of reminders, compressions and summaries that have ended. While a model
/// call rests, only what the count of lost calls goes with: what it was sent stays as it was.
void add_context(ConversationState& state, Delta& delta);

/// Closes the current round in the delta.
void add_round_end(ConversationState& state, Delta& delta, RoundStatus status,
                   const std::string& answer, const Moment& moment);

}  // namespace ba
