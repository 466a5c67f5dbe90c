// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "pipeline/context/compression.hpp"
#include "pipeline/context/history_rounds.hpp"

namespace ba {
namespace {

/// The first of the last `keep` messages that aren't the system's, or of what belongs to it.
std::size_t first_kept(std::span<const CountedMessage> history, int keep) {
  std::size_t at = history.size();
  while (at > 0 && keep > 0) {
    --at;
    if (!std::holds_alternative<SystemMessage>(*history[at].message)) --keep;
  }
  const auto belongs_to_the_one_before = [&](const Message& message) {
    return std::holds_alternative<ToolMessage>(message) || asks_again(message);
  };
  while (at > 0 && at < history.size() && belongs_to_the_one_before(*history[at].message)) --at;
  return at;
}

/// What the user said last before that: a history begins with it. None: it is kept anyway.
std::size_t request_before(std::span<const CountedMessage> history, std::size_t first) {
  for (std::size_t at = first; at < history.size(); ++at)
    if (!std::holds_alternative<SystemMessage>(*history[at].message)) {
      if (std::holds_alternative<HumanMessage>(*history[at].message)) return KeptMessage::kMade;
      break;
    }
  for (std::size_t at = first; at > 0; --at)
    if (std::holds_alternative<HumanMessage>(*history[at - 1].message) &&
        !is_hidden(*history[at - 1].message))
      return at - 1;
  return KeptMessage::kMade;
}

}  // namespace

Compressed truncate(std::span<const CountedMessage> history, int keep_messages,
                    std::int64_t target) {
  Compressed result;
  result.mode = CompressionMode::Truncate;
  const std::size_t first = first_kept(history, keep_messages);
  const std::size_t request = request_before(history, first);
  for (std::size_t at = 0; at < history.size(); ++at) {
    result.tokens_before += history[at].tokens;
    if (at < first && at != request && !std::holds_alternative<SystemMessage>(*history[at].message))
      continue;
    result.messages.push_back({at, {}, history[at].tokens});
    result.tokens_after += history[at].tokens;
  }
  if (result.tokens_after > target)
    result.missed = "the last " + std::to_string(keep_messages) +
                    " messages and the system's have " + std::to_string(result.tokens_after) +
                    " tokens; the target is " + std::to_string(target);
  return result;
}

}  // namespace ba
