// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "pipeline/core/context/compression.hpp"

namespace ba {
namespace {

/// What of the last round stays whatever it takes: less and less, until that fits.
struct Least {
  int units;    ///< its last ones
  bool skills;  ///< and what its skills brought
};
constexpr Least kLeast[] = {{5, true}, {2, true}, {1, true}, {5, false}, {2, false}, {1, false}};

std::int64_t tokens_of(std::span<const CountedMessage> history) {
  std::int64_t tokens = 0;
  for (const CountedMessage& message : history) tokens += message.tokens;
  return tokens;
}

Compressed unchanged(std::span<const CountedMessage> history) {
  Compressed result;
  for (std::size_t at = 0; at < history.size(); ++at)
    result.messages.push_back({at, {}, history[at].tokens});
  result.tokens_before = result.tokens_after = tokens_of(history);
  return result;
}

}  // namespace

Compressed compress(std::span<const CountedMessage> history, const CompressionRules& rules,
                    const CountTokens& count, std::int64_t target, std::int64_t most) {
  if (tokens_of(history) <= target) return unchanged(history);
  if (rules.mode == CompressionMode::Truncate)
    return truncate(history, rules.keep_recent_messages, target);
  RecentRounds recent{rules.keep_recent_rounds, 0};
  Compressed result = extract(history, recent, rules, count, target);
  for (; result.tokens_after > most && recent.rounds > 1;) {
    --recent.rounds;
    result = extract(history, recent, rules, count, target);
  }
  for (const Least& least : kLeast) {
    if (result.tokens_after <= most) break;
    recent.units_of_last = least.units;
    recent.skills = least.skills;
    result = extract(history, recent, rules, count, target);
  }
  return result;
}

std::vector<Message> compressed_history(std::span<const CountedMessage> history,
                                        const Compressed& compressed) {
  std::vector<Message> messages;
  messages.reserve(compressed.messages.size());
  for (const KeptMessage& kept : compressed.messages)
    messages.push_back(kept.index == KeptMessage::kMade ? Message(kept.summary)
                                                        : *history[kept.index].message);
  return messages;
}

}  // namespace ba
