// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "pipeline/core/context/compression.hpp"
#include "pipeline/core/context/history_rounds.hpp"

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
      if (std::holds_alternative<HumanMessage>(*history[at].message) &&
          !is_hidden(*history[at].message))
        return KeptMessage::kMade;
      break;
    }
  for (std::size_t at = first; at > 0; --at)
    if (std::holds_alternative<HumanMessage>(*history[at - 1].message) &&
        !is_hidden(*history[at - 1].message))
      return at - 1;
  return KeptMessage::kMade;
}

/// What skills brought in the round under way, before `first`: the newest first, what has room.
std::set<std::size_t> skills_before(std::span<const CountedMessage> history, std::size_t first,
                                    std::int64_t room) {
  std::set<std::size_t> kept;
  const std::vector<HistoryRound> rounds = history_rounds(history);
  for (auto round = rounds.rbegin(); round != rounds.rend(); ++round)
    for (auto unit = round->units.rbegin(); unit != round->units.rend(); ++unit) {
      if (unit->kind != UnitKind::Skill || unit->first >= first || unit->tokens > room) continue;
      room -= unit->tokens;
      for (std::size_t at = unit->first; at < unit->first + unit->count; ++at) kept.insert(at);
    }
  return kept;
}

}  // namespace

Compressed truncate(std::span<const CountedMessage> history, int keep_messages,
                    std::int64_t target) {
  Compressed result;
  result.mode = CompressionMode::Truncate;
  const std::size_t first = first_kept(history, keep_messages);
  const std::size_t request = request_before(history, first);
  const auto stays = [&](std::size_t at) {
    return at >= first || at == request ||
           std::holds_alternative<SystemMessage>(*history[at].message);
  };
  std::int64_t room = target;
  for (std::size_t at = 0; at < history.size(); ++at)
    if (stays(at)) room -= history[at].tokens;
  const std::set<std::size_t> skills = skills_before(history, first, room);
  for (std::size_t at = 0; at < history.size(); ++at) {
    result.tokens_before += history[at].tokens;
    if (!stays(at) && !skills.contains(at)) continue;
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
