// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/think_block.hpp"

namespace ba {
namespace {

constexpr std::string_view kOpen = "<think>";
constexpr std::string_view kClose = "</think>";
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view from_first_visible(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kBlanks);
  return start == text.npos ? std::string_view() : text.substr(start);
}

std::string_view trimmed(std::string_view text) {
  text = from_first_visible(text);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace

std::optional<ThinkBlock> leading_think_block(std::string_view text) {
  text = from_first_visible(text);
  if (text.substr(0, kOpen.size()) != kOpen) return std::nullopt;
  text.remove_prefix(kOpen.size());
  const std::size_t end = text.find(kClose);
  if (end == text.npos) return ThinkBlock{trimmed(text), {}, false};
  return ThinkBlock{trimmed(text.substr(0, end)),
                    from_first_visible(text.substr(end + kClose.size())), true};
}

}  // namespace ba
