#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is sent to a model, as far as rows say it: refusals and counts of the context, reminders and
// summaries. Used by advance(), resume() and RunProtocol; the pure questions by the driver, too.

#include "pipeline/core/context/compression_rules.hpp"
#include "pipeline/core/conversation/event.hpp"

namespace ba {

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

}  // namespace ba
