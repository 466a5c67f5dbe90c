// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/ledger/delta.hpp"

#include "pipeline/base/enum_names.hpp"
#include "pipeline/text/message/validate.hpp"

namespace ba {
namespace {

constexpr EnumNames<RoundStatus, 4> kRounds{{{RoundStatus::Pending, "pending"},
                                             {RoundStatus::InProgress, "in_progress"},
                                             {RoundStatus::Completed, "completed"},
                                             {RoundStatus::Error, "error"}}};

Result<void> validated(const std::string& field, const Message& message) {
  if (const auto good = validate_message(message); !good)
    return invalid_argument(field + "." + good.error().message);
  return {};
}

template <class Row>
Result<void> validate_each(const char* rows, const std::vector<Row>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string field = std::string(rows) + "[" + std::to_string(i) + "].message";
    if (auto good = validated(field, all[i].message); !good) return good;
  }
  return {};
}

}  // namespace

Result<void> validate_messages(const Delta& delta) {
  if (auto good = validate_each("rounds_opened", delta.rounds_opened); !good) return good;
  if (auto good = validate_each("steps", delta.steps); !good) return good;
  for (std::size_t i = 0; i < delta.steps.size(); ++i)
    if (const auto& repair = delta.steps[i].answer_repair) {
      const std::string field = "steps[" + std::to_string(i) + "].answer_repair";
      if (auto good = validated(field, *repair); !good) return good;
    }
  if (auto good = validate_each("calls_finished", delta.calls_finished); !good) return good;
  if (auto good = validate_each("reminders", delta.reminders); !good) return good;
  return validate_each("messages_injected", delta.messages_injected);
}

std::string_view to_string(RoundStatus status) { return name_of(kRounds, status); }
std::optional<RoundStatus> parse_round_status(std::string_view text) {
  return value_of(kRounds, text);
}

}  // namespace ba
