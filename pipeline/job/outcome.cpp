// SPDX-License-Identifier: Apache-2.0
#include "pipeline/job/outcome.hpp"

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

}  // namespace ba
