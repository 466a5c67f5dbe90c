// SPDX-License-Identifier: Apache-2.0
// Summaries that a model writes beside the run of a job, and what of its history is kept shorter.
#include <algorithm>

#include "pipeline/core/conversation/make_delta.hpp"
#include "pipeline/core/conversation/skill_steps.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "worker/driver/job_runner.hpp"

namespace ba {
namespace {

/// Answers of tools that stand in no history yet.
void add_open_results(const ConversationState& state, CompressedHistoryRow& row) {
  std::string ids;
  for (const CallState& call : state.calls) {
    if (!call.message) continue;
    ids += ',';
    append_json_string(ids, call.message->meta.message_id.value);
    ++row.messages;
  }
  row.kept_json.insert(row.kept_json.size() - 1, ids);
}

/// Nothing of it from a cache.
Usage usage_of(std::int64_t input, std::int64_t output) {
  Usage usage;
  usage.input_tokens = input;
  usage.output_tokens = output;
  return usage;
}

}  // namespace

/// One at a time, and once for each content: what is dropped next has another.
void JobRunner::begin_summary() {
  const SummaryRequest* wanted = views_->current()->wanted_summary();
  if (wanted == nullptr || summary_ || summaries_tried_.contains(wanted->content_hash)) return;
  // A sub-agent is short-lived, and ends without notice when its job does.
  if (state_->claim.asked_by || !may_pay(*wanted)) return;
  summaries_tried_.insert(wanted->content_hash);
  const Position at{state_->round.number, state_->round.step + 1, 0};
  if (has_summary_at(at)) return;
  const SummaryRules& rules = ports_.compression.summary;
  SummaryOrder order;
  order.job = state_->claim.id;
  order.conversation = state_->claim.conversation;
  order.at = at;
  order.round_id = wanted->round_id;
  order.content_hash = wanted->content_hash;
  order.estimate_micro_usd = expected_cost(*wanted);
  order.hour_micro_usd_max = rules.cost_micro_usd_per_hour;
  order.reuse_within = std::chrono::hours(rules.reuse_hours);
  SummaryHooks hooks;
  hooks.wanted = [this] {
    return !draining_ && !pausing_ && !cancelled_ && !halted_ && !stopping_with_;
  };
  hooks.asked = [this](SummaryRow row) { dispatch(event::SummaryAsked{std::move(row)}); };
  hooks.ended = [this](SummaryRow row) { summary_ended(std::move(row)); };
  hooks.refused = [this](const std::string& why) { summary_refused(why); };
  summary_ = std::make_unique<SummaryWriter>(ports_, self_, std::move(hooks));
  summary_->start(order, *wanted, state_->profile.price_reading);
}

/// A reply has one row for the summaries that are written beside it; a refused context asks for the
/// reply again.
bool JobRunner::has_summary_at(const Position& at) const {
  const auto there = [&at](const SummaryRow& row) { return row.at == at; };
  return std::ranges::any_of(state_->summaries.durable, there) ||
         std::ranges::any_of(state_->summaries.ended, there) ||
         std::ranges::any_of(state_->summaries.saving, there) ||
         std::ranges::any_of(pending_.summaries, there);
}

/// A limit of the job is reached by its work, not by a summary of it: there is room for the most
/// that this may take, and for the reply that is being asked for beside it.
bool JobRunner::may_pay(const SummaryRequest& request) const {
  const EffectiveLimits& limits = state_->profile.limits;
  const JobTotals& totals = state_->bill.totals;
  const Usage summary = usage_of(request.input_tokens, request.output_tokens_max);
  const Usage reply = expected_reply();
  const std::int64_t cost = cost_of(request.model, summary).value_or(request.estimate_micro_usd) +
                            cost_of(model_in_force(*state_), reply).value_or(0);
  return totals.usage.total() + summary.total() + reply.total() < limits.tokens_max &&
         totals.cost_micro_usd + cost < limits.cost_micro_usd_max;
}

/// The most it may take: all of it written to the provider's cache, as long as its model may.
Usage JobRunner::expected_reply() const {
  Usage usage;
  usage.cache_write_tokens = views_->current()->estimated_tokens().value_or(0);
  usage.output_tokens = state_->profile.max_output_tokens;
  if (usage.output_tokens == 0 && ports_.prices != nullptr)
    usage.output_tokens = ports_.prices->output_tokens_max(model_in_force(*state_));
  return usage;
}

/// What all workers' summaries of an hour are held against. A model that was named for summaries is
/// reckoned with as the rules say; nobody has looked at the agent's own for that. What it thinks is
/// known afterwards alone.
std::int64_t JobRunner::expected_cost(const SummaryRequest& request) const {
  if (!request.own) return request.estimate_micro_usd;
  const Usage usage = usage_of(request.input_tokens, ports_.compression.summary.tokens_max);
  return cost_of(request.model, usage).value_or(request.estimate_micro_usd);
}

/// As the job is billed for it; none: that isn't known.
std::optional<std::int64_t> JobRunner::cost_of(const std::string& model, const Usage& usage) const {
  if (ports_.prices == nullptr) return std::nullopt;
  return ports_.prices->cost_of_call(model, usage, state_->profile.price_reading,
                                     ports_.clock.wall());
}

void JobRunner::summary_ended(SummaryRow row) {
  const auto finished = std::move(summary_);
  ports_.observer.summary_ended(*state_, finished->model(), row);
  if (once_alone_)
    return end_summary(*state_, std::move(row));  // the job goes on with nothing else
  dispatch(event::SummaryEnded{std::move(row)});
}

void JobRunner::summary_refused(const std::string& why) {
  const auto finished = std::move(summary_);
  ports_.observer.summary_refused(*state_, why);
}

void JobRunner::remember(const std::vector<SummaryRow>& rows) const {
  if (ports_.summaries == nullptr) return;
  const auto until =
      ports_.clock.now() + std::chrono::hours(ports_.compression.summary.reuse_hours);
  for (const SummaryRow& row : rows)
    if (row.state == SummaryState::Ready && !row.reused)  // using it makes it no younger
      ports_.summaries->put(summary_key(state_->claim.conversation, row), known_summary(row), until,
                            ports_.clock.now());
}

/// Lost ones that no row tells of yet: whoever loads the job finds and counts them again.
int JobRunner::summaries_not_counted() const {
  const auto lost = [](const SummaryRow& row) { return row.state == SummaryState::Lost; };
  return static_cast<int>(std::ranges::count_if(pending_.summaries, lost) +
                          std::ranges::count_if(state_->summaries.ended, lost));
}

/// Those that are on record, and that no model was or will be asked for.
std::vector<Position> JobRunner::summaries_not_paid() const {
  std::vector<Position> unpaid;
  if (summary_ && !summary_->request_out()) unpaid.push_back(summary_->at());
  const auto add = [&unpaid](const std::vector<SummaryRow>& rows) {
    for (const SummaryRow& row : rows)
      if (row.reused || (row.state == SummaryState::Failed && row.model.empty()))
        unpaid.push_back(row.at);
  };
  add(pending_.summaries);
  add(state_->summaries.ended);
  return unpaid;
}

/// After a refusal: how many of the summaries that the durable rows show as lost are so.
int JobRunner::forget_unpaid_summaries() {
  int lost = 0;
  for (SummaryRow& row : state_->summaries.ended) {
    if (std::ranges::find(summaries_unpaid_, row.at) == summaries_unpaid_.end()) {
      ++lost;
      continue;
    }
    row.state = SummaryState::Failed;
    --state_->bill.totals.wasted_model_calls;
  }
  return lost;
}

/// What was paid for summaries is durable, or counted as lost, before the job goes back: whoever
/// goes on with it takes nothing for lost that isn't. True: `then` comes when it is.
bool JobRunner::give_back_first(std::function<void()> then) {
  if (giving_back_) return true;
  if (summary_) {
    SummaryRow row = summary_->give_up();
    summary_.reset();
    end_summary(*state_, std::move(row));
  }
  if (state_->summaries.ended.empty()) return false;
  model_call_.reset();
  count_call_.reset();
  tool_runs_.clear();
  state_->flow.model_resting = false;
  pending_ = lost_call_delta(*state_);
  pending_.alone = claimed_.attempt > 1;
  add_context(*state_, pending_);
  giving_back_ = true;
  record_lost_call([this, then = std::move(then)] {
    giving_back_ = false;
    if (!state_->flow.commit_in_flight) then();  // else the job ends instead
  });
  return true;
}

/// At the end of a round of a history that was made shorter; a job that ends has no more summaries
/// written.
void JobRunner::keep_what_is_left() {
  if (pending_.finished) {
    pending_.finished->ends_summaries = !summaries_tried_.empty();
    if (summary_) summaries_unpaid_.push_back(summary_->at());  // one that was asked for is gone
    summary_.reset();
  }
  if (pending_.rounds_closed.empty() || !views_ || !views_->current() ||
      views_->current()->compressions() == 0)
    return;
  CompressedHistoryRow row = views_->current()->left_of(state_->history.messages);
  row.round = pending_.rounds_closed.back().round;
  add_open_results(*state_, row);
  pending_.compressed_histories.push_back(std::move(row));
}

}  // namespace ba
