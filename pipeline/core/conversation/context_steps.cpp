// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/context_steps.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/core/context/narrow_window.hpp"
#include "pipeline/core/context/reminder.hpp"
#include "pipeline/core/conversation/make_delta.hpp"
#include "pipeline/core/conversation/skill_steps.hpp"

namespace ba {

Position next_reply(const ConversationState& state) {
  return {state.round.number, state.round.step + 1, 0};
}

int refusals_here(const ConversationState& state) {
  const Position reply = next_reply(state);
  return static_cast<int>(
      std::ranges::count_if(state.context.refused, [&](const RefusedContextRow& row) {
        return row.at.round == reply.round && row.at.step == reply.step;
      }));
}

bool settled_already(const ConversationState& state) {
  const Position reply = next_reply(state);
  const auto& counts = state.context.counts;
  const bool counted = !counts.empty() && counts.back().at.round == reply.round &&
                       counts.back().at.step == reply.step;
  return counted || refusals_here(state) > 0;
}

RefusalsInForce refusals_in_force(const ConversationState& state) {
  const Position reply = next_reply(state);
  const std::string& model = model_in_force(state);
  const std::int64_t window = window_of(state, model);
  RefusalsInForce found;
  for (const RefusedContextRow& row : state.context.refused) {
    if (row.at.round != reply.round || row.at.step != reply.step) continue;
    if (row.model != model || row.of_window != window) continue;
    ++found.count;
    found.tokens = row.tokens;
  }
  return found;
}

void add_refused_context(ConversationState& state, Delta& delta, const ContextRefusal& refusal,
                         std::int64_t tokens) {
  RefusedContextRow row;
  row.at = next_reply(state);
  row.at.index = refusals_here(state) + 1;
  row.model = model_in_force(state);
  row.of_window = window_of(state, row.model);
  row.window = narrowed_window(refusal, {tokens, state.profile.max_output_tokens});
  row.tokens = tokens;
  row.told_limit = refusal.limit;
  row.told_tokens = refusal.counted;
  delta.refused_contexts.push_back(row);
  state.context.refused.push_back(std::move(row));
}

void add_reminder(ConversationState& state, const RefocusRules& rules, const Moment& moment) {
  if (rules.every_steps <= 0 || state.round.step == 0 || state.round.step % rules.every_steps != 0)
    return;
  const Position position{state.round.number, state.round.step, kReminderIndex};
  const MessageId id = message_id(state.job.job_id, position);
  if (meta_of(state.history.messages.back()).message_id == id)
    return;  // after a crash: it is durable
  ReminderFacts facts;
  facts.round = state.round.number + 1;
  facts.task = state.job.messages[static_cast<std::size_t>(state.round.number)];
  facts.steps_left = state.profile.limits.steps_per_round_max - state.round.step;
  ReminderRow row;
  row.position = position;
  row.message.meta = meta_at(state, row.position, moment);
  row.message.meta.additional_kwargs["isMeta"] = "true";
  row.message.text = reminder_text(facts, rules);
  state.history.messages.push_back(row.message);
  state.history.reminders_unsaved.push_back(std::move(row));
}

void note_summary_call(ConversationState& state, bool paid) {
  state.summaries.out->state = paid ? SummaryState::Writing : SummaryState::Failed;
}

void end_summary(ConversationState& state, SummaryRow row) {
  state.summaries.out.reset();
  if (row.state == SummaryState::Lost) count_lost_call(state);
  count_summary(state.bill.totals, row);
  state.summaries.ended.push_back(std::move(row));
}

void count_summary(JobTotals& totals, const SummaryRow& row) {
  if (!row.reused && row.model.empty()) return;
  const Savings cost = cost_of_summary(row.usage, row.cost_micro_usd);
  totals.savings -= cost;
  if (row.reused) {
    totals.savings.shared_results += cost.compression;
    return;
  }
  totals.usage += row.usage;
  totals.cost_micro_usd += row.cost_micro_usd.value_or(0);
  totals.cost_known = totals.cost_known && row.cost_micro_usd.has_value();
}

void add_context(ConversationState& state, Delta& delta) {
  std::vector<SummaryRow> later;
  for (SummaryRow& row : state.summaries.ended) {
    if (state.flow.model_resting && row.state == SummaryState::Ready) {
      later.push_back(std::move(row));
      continue;
    }
    // Where the reply that comes next was asked for already, or what is sent for it was counted, it
    // is asked for without it.
    row.after = settled_already(state) ? next_reply(state) : state.context.last_reply;
    delta.summaries.push_back(row);
    if (row.state == SummaryState::Ready) state.summaries.saving.push_back(std::move(row));
  }
  state.summaries.ended = std::move(later);
  if (state.flow.model_resting) return;
  delta.reminders = std::exchange(state.history.reminders_unsaved, {});
  delta.compressions = std::exchange(state.history.compressions_unsaved, {});
}

}  // namespace ba
