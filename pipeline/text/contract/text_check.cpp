// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/text_check.hpp"

#include "pipeline/text/message/utf8.hpp"

namespace ba {

DeadLetterReason invalid_field(std::string field, std::string message) {
  return {"INVALID_FIELD", std::move(field), std::move(message)};
}

std::optional<DeadLetterReason> check_text(const std::string& field, std::string_view text,
                                           const TextRule& rule) {
  if (text.empty() && rule.required)
    return DeadLetterReason{"MISSING_FIELD", field, "must not be missing or empty"};
  if (const auto at = utf8_defect(text))
    return DeadLetterReason{"BAD_UTF8", field, describe_utf8_defect(text, *at)};
  if (text.size() > rule.chars_max && code_points(text) > rule.chars_max)
    return DeadLetterReason{"TOO_LARGE", field,
                            "has " + std::to_string(code_points(text)) +
                                " characters, the limit is " + std::to_string(rule.chars_max)};
  if (!rule.controls_allowed && has_control_character(text))
    return invalid_field(field, "must not contain control characters");
  return std::nullopt;
}

std::optional<DeadLetterReason> check_count(const std::string& field, int count,
                                            std::size_t count_max) {
  if (static_cast<std::size_t>(count) <= count_max) return std::nullopt;
  return DeadLetterReason{
      "TOO_LARGE", field,
      "has " + std::to_string(count) + " entries, the limit is " + std::to_string(count_max)};
}

}  // namespace ba
