#pragma once
// SPDX-License-Identifier: Apache-2.0
// Checks of one text or list of a job; what is wrong names the field and what would be right.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/text/contract/record.hpp"

namespace ba {

// Paths of fields in error messages: "limits.tokens_max", "messages[2]", "metadata[team]".

inline std::string member_path(const std::string& parent, std::string_view name) {
  return parent.empty() ? std::string(name) : parent + "." + std::string(name);
}

inline std::string element_path(const std::string& parent, std::size_t index) {
  return parent + "[" + std::to_string(index) + "]";
}

inline std::string entry_path(const std::string& parent, std::string_view key) {
  return parent + "[" + std::string(key) + "]";
}

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
