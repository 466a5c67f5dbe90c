// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/job_summaries.hpp"

#include <algorithm>

#include "pipeline/core/conversation/context_steps.hpp"
#include "pipeline/core/conversation/skill_steps.hpp"

namespace ba::driver {
namespace {

/// Nothing of it from a cache.
Usage usage_of(std::int64_t input, std::int64_t output) {
  Usage usage;
  usage.input_tokens = input;
  usage.output_tokens = output;
  return usage;
}

}  // namespace

/// What is dropped next has another content.
void JobSummaries::begin(const ContextView& sent) {
  const SummaryRequest* wanted = sent.wanted_summary();
  if (wanted == nullptr || writer_ || tried_.contains(wanted->content_hash)) return;
  // A sub-agent is short-lived, and ends without notice when its job does.
  if (state().claim.asked_by || !may_pay(*wanted, sent)) return;
  tried_.insert(wanted->content_hash);
  const Position at = next_reply(state());
  if (has_one_at(at)) return;
  SummaryHooks hooks;
  hooks.wanted = [this] { return run_.wants_summaries(); };
  hooks.asked = [this](SummaryRow row) { feed_(Event(event::SummaryAsked{std::move(row)})); };
  hooks.ended = [this](SummaryRow row) { ended(std::move(row)); };
  hooks.refused = [this](const std::string& why) {
    const auto finished = std::move(writer_);
    ports_.observer.summary_refused(state(), why);
  };
  writer_ = std::make_unique<SummaryWriter>(ports_, self_, std::move(hooks));
  writer_->start(order_of(*wanted, at), *wanted, state().profile.price_reading);
}

SummaryOrder JobSummaries::order_of(const SummaryRequest& request, const Position& at) const {
  const SummaryRules& rules = ports_.compression.summary;
  SummaryOrder order;
  order.job = state().claim.id;
  order.conversation = state().claim.conversation;
  order.at = at;
  order.round_id = request.round_id;
  order.content_hash = request.content_hash;
  order.estimate_micro_usd = expected_cost(request);
  order.hour_micro_usd_max = rules.cost_micro_usd_per_hour;
  order.reuse_within = std::chrono::hours(rules.reuse_hours);
  return order;
}

/// A reply has one row for the summaries that are written beside it; a refused context asks for the
/// reply again.
bool JobSummaries::has_one_at(const Position& at) const {
  const auto there = [&at](const SummaryRow& row) { return row.at == at; };
  const ConversationState::Summaries& known = state().summaries;
  return std::ranges::any_of(known.durable, there) || std::ranges::any_of(known.ended, there) ||
         std::ranges::any_of(known.saving, there) ||
         (written_ && std::ranges::any_of(written_->summaries, there));
}

/// A limit of the job is reached by its work, not by a summary of it: there is room for the most
/// that this may take, and for the reply that is being asked for beside it.
bool JobSummaries::may_pay(const SummaryRequest& request, const ContextView& sent) const {
  const EffectiveLimits& limits = state().profile.limits;
  const JobTotals& totals = state().bill.totals;
  const Usage summary = usage_of(request.input_tokens, request.output_tokens_max);
  const Usage reply = expected_reply(sent);
  const std::int64_t cost = cost_of(request.model, summary).value_or(request.estimate_micro_usd) +
                            cost_of(model_in_force(state()), reply).value_or(0);
  return totals.usage.total() + summary.total() + reply.total() < limits.tokens_max &&
         totals.cost_micro_usd + cost < limits.cost_micro_usd_max;
}

/// The most it may take: all of it written to the provider's cache, as long as its model may.
Usage JobSummaries::expected_reply(const ContextView& sent) const {
  Usage usage;
  usage.cache_write_tokens = sent.estimated_tokens().value_or(0);
  usage.output_tokens = state().profile.max_output_tokens;
  if (usage.output_tokens == 0 && ports_.prices != nullptr)
    usage.output_tokens = ports_.prices->output_tokens_max(model_in_force(state()));
  return usage;
}

/// What all workers' summaries of an hour are held against. A model that was named for summaries is
/// reckoned with as the rules say; nobody has looked at the agent's own for that. What it thinks is
/// known afterwards alone.
std::int64_t JobSummaries::expected_cost(const SummaryRequest& request) const {
  if (!request.own) return request.estimate_micro_usd;
  const Usage usage = usage_of(request.input_tokens, ports_.compression.summary.tokens_max);
  return cost_of(request.model, usage).value_or(request.estimate_micro_usd);
}

/// As the job is billed for it; none: that isn't known.
std::optional<std::int64_t> JobSummaries::cost_of(const std::string& model,
                                                  const Usage& usage) const {
  if (ports_.prices == nullptr) return std::nullopt;
  return ports_.prices->cost_of_call(model, usage, state().profile.price_reading,
                                     ports_.clock.wall());
}

void JobSummaries::ended(SummaryRow row) {
  const auto finished = std::move(writer_);
  ports_.observer.summary_ended(state(), finished->model(), row);
  feed_(Event(event::SummaryEnded{std::move(row)}));
}

std::optional<SummaryRow> JobSummaries::give_up() {
  if (!writer_) return std::nullopt;
  SummaryRow row = writer_->give_up();
  writer_.reset();
  return row;
}

std::optional<Position> JobSummaries::at() const {
  if (!writer_) return std::nullopt;
  return writer_->at();
}

void JobSummaries::remember(const std::vector<SummaryRow>& rows) const {
  if (ports_.summaries == nullptr) return;
  const auto until =
      ports_.clock.now() + std::chrono::hours(ports_.compression.summary.reuse_hours);
  for (const SummaryRow& row : rows)
    if (row.state == SummaryState::Ready && !row.reused)  // using it makes it no younger
      ports_.summaries->put(summary_key(state().claim.conversation, row), known_summary(row), until,
                            ports_.clock.now());
}

}  // namespace ba::driver
