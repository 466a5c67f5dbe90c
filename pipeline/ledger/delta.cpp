// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ledger/delta.hpp"

#include "pipeline/base/enum_names.hpp"

namespace ba {
namespace {

constexpr EnumNames<RoundStatus, 4> kRounds{{{RoundStatus::Pending, "pending"},
                                             {RoundStatus::InProgress, "in_progress"},
                                             {RoundStatus::Completed, "completed"},
                                             {RoundStatus::Error, "error"}}};

}  // namespace

std::string_view to_string(RoundStatus status) { return name_of(kRounds, status); }
std::optional<RoundStatus> parse_round_status(std::string_view text) {
  return value_of(kRounds, text);
}

}  // namespace ba
