// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/job/outcome.hpp"

#include "pipeline/base/enum_names.hpp"

namespace ba {
namespace {

constexpr EnumNames<Outcome, 12> kOutcomes{{
    {Outcome::Completed, "completed"},
    {Outcome::StepLimit, "step_limit"},
    {Outcome::TokenLimit, "token_limit"},
    {Outcome::CostLimit, "cost_limit"},
    {Outcome::DeadlineExceeded, "deadline_exceeded"},
    {Outcome::Refused, "refused"},
    {Outcome::Truncated, "truncated"},
    {Outcome::ModelError, "model_error"},
    {Outcome::InvalidJob, "invalid_job"},
    {Outcome::Cancelled, "cancelled"},
    {Outcome::Poisoned, "poisoned"},
    {Outcome::Failed, "failed"},
}};

constexpr EnumNames<Lane, 3> kLanes{
    {{Lane::High, "high"}, {Lane::Normal, "normal"}, {Lane::Batch, "batch"}}};

}  // namespace

std::string_view to_string(Outcome outcome) { return name_of(kOutcomes, outcome); }
std::optional<Outcome> parse_outcome(std::string_view text) { return value_of(kOutcomes, text); }
std::string_view to_string(Lane lane) { return name_of(kLanes, lane); }
std::optional<Lane> parse_lane(std::string_view text) { return value_of(kLanes, text); }

Spending spending_of(const JobTotals& totals) {
  return {totals.usage, totals.cost_micro_usd, totals.cost_known, totals.wasted_model_calls,
          totals.savings};
}

Spending operator-(const Spending& now, const Spending& before) {
  Spending since = now;
  since.usage.input_tokens -= before.usage.input_tokens;
  since.usage.cache_read_tokens -= before.usage.cache_read_tokens;
  since.usage.cache_write_tokens -= before.usage.cache_write_tokens;
  since.usage.output_tokens -= before.usage.output_tokens;
  since.usage.thinking_tokens -= before.usage.thinking_tokens;
  since.cost_micro_usd -= before.cost_micro_usd;
  since.wasted_model_calls -= before.wasted_model_calls;
  since.savings -= before.savings;
  return since;
}

void add(JobTotals& totals, const Spending& spending) {
  totals.usage += spending.usage;
  totals.cost_micro_usd += spending.cost_micro_usd;
  totals.cost_known = totals.cost_known && spending.cost_known;
  totals.wasted_model_calls += spending.wasted_model_calls;
  totals.savings += spending.savings;
}

}  // namespace ba
