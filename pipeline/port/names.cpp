// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/enum_names.hpp"
#include "pipeline/port/ledger_records.hpp"
#include "pipeline/port/model_client.hpp"

namespace ba {
namespace {

constexpr EnumNames<StopReason, 6> kStops{{{StopReason::EndTurn, "end_turn"},
                                           {StopReason::ToolUse, "tool_use"},
                                           {StopReason::MaxTokens, "max_tokens"},
                                           {StopReason::Refusal, "refusal"},
                                           {StopReason::ContextExceeded, "context_exceeded"},
                                           {StopReason::Other, "other"}}};
constexpr EnumNames<RoundStatus, 4> kRounds{{{RoundStatus::Pending, "pending"},
                                             {RoundStatus::InProgress, "in_progress"},
                                             {RoundStatus::Completed, "completed"},
                                             {RoundStatus::Error, "error"}}};

}  // namespace

std::string_view to_string(StopReason stop) { return name_of(kStops, stop); }
std::string_view to_string(RoundStatus status) { return name_of(kRounds, status); }
std::optional<RoundStatus> parse_round_status(std::string_view text) {
  return value_of(kRounds, text);
}

}  // namespace ba
