// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/stream_words.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "pipeline/base/lower_case.hpp"

namespace ba {
namespace {

constexpr std::size_t kWordBytesMax = 16;

/// In lower case; empty: longer than any of the words.
std::string word_of(const SseEvent& event) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::string_view data = event.data;
  const std::size_t start = data.find_first_not_of(kBlanks);
  if (start == data.npos) return "";
  data = data.substr(start, data.find_last_not_of(kBlanks) + 1 - start);
  return data.size() > kWordBytesMax ? "" : lower_case(data);
}

}  // namespace

bool says_nothing(const SseEvent& event) {
  constexpr std::array<std::string_view, 4> kStillHere{"ping", "heartbeat", "keep-alive",
                                                       "keepalive"};
  if (event.data.find_first_not_of(" \t\r\n") == std::string_view::npos) return true;
  const std::string word = word_of(event);
  return std::ranges::find(kStillHere, word) != kStillHere.end();
}

bool says_done(const SseEvent& event) { return word_of(event) == "[done]"; }

}  // namespace ba
