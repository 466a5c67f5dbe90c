#pragma once
// SPDX-License-Identifier: Apache-2.0
// Checks of one text or list of a job; what is wrong names the field and what would be right.

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/text/contract/record.hpp"

namespace ba {

/// What the conversation of a job without one is called: this and the job id.
inline constexpr std::string_view kOwnConversationPrefix = "job:";

struct TextRule {
  std::size_t chars_max = 0;
  bool required = false;
  bool controls_allowed = false;  ///< control characters such as newlines
};

DeadLetterReason invalid_field(std::string field, std::string message);
std::optional<DeadLetterReason> check_text(const std::string& field, std::string_view text,
                                           const TextRule& rule);
std::optional<DeadLetterReason> check_count(const std::string& field, int count,
                                            std::size_t count_max);

}  // namespace ba
