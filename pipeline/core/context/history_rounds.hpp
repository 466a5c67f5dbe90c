#pragma once
// SPDX-License-Identifier: Apache-2.0
// A history as rounds, and rounds as what can only be kept or dropped as a whole. Pure, but for
// the counter of tokens; its thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pipeline/text/message/message.hpp"
#include "pipeline/text/message/token_estimate.hpp"

namespace ba {

/// How many tokens a message has: its role, text, thinking, the names and arguments of its calls, a
/// result. Without a margin. What a provider's own extras (signatures, reasoning items) take isn't
/// known.
std::int64_t message_tokens(const Message& message, const CountTokens& count);

/// A message with its tokens, counted once. The message outlives it.
struct CountedMessage {
  const Message* message = nullptr;
  std::int64_t tokens = 0;
};

/// In the order in which units are kept: the first the longest.
enum class UnitKind {
  Human,         ///< what the user said
  Skill,         ///< what a skill brought in the round that is under way
  ErrorResults,  ///< an AIMessage with its results, one of which is an error
  Calls,         ///< an AIMessage with its results
  PlainAi,       ///< with the request for a better answer, where there is one
  Log,           ///< what nobody said: reminders, skills of earlier rounds, the same again
};

/// Messages that stay together: of the history, `count` from `first` on.
struct HistoryUnit {
  UnitKind kind = UnitKind::PlainAi;
  std::size_t first = 0;
  std::size_t count = 1;
  std::int64_t tokens = 0;
};

struct HistoryRound {
  std::string id;
  std::vector<HistoryUnit> units;   ///< in order, without system messages
  std::vector<std::size_t> system;  ///< these
  bool summarized = false;          ///< it has its summary already
};

/// Every message once. A round begins with what a user says: with another round id, where there are
/// ids. What a forked job adds to the round that it goes on with is of that round. The history is
/// valid (validate_history()).
std::vector<HistoryRound> history_rounds(std::span<const CountedMessage> history);

/// Whether it stands for what was dropped of a round.
bool is_round_summary(const Message& message);

/// Whether nobody said it: a reminder, what a skill brings.
bool is_hidden(const Message& message);

/// A reminder or a request to answer again: nobody said it, and no skill brought it.
bool is_reminder(const Message& message);

/// Whether it asks for a better answer than the one before it.
bool asks_again(const Message& message);

}  // namespace ba
