#pragma once
// SPDX-License-Identifier: Apache-2.0
// A history made shorter. The same input gives the same output, what is left is a valid history for
// every provider, and compressing it again changes nothing. Pure but for the counter; its thread.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pipeline/core/context/compression_rules.hpp"
#include "pipeline/core/context/history_rounds.hpp"

namespace ba {

/// One message of what is left.
struct KeptMessage {
  static constexpr std::size_t kMade = static_cast<std::size_t>(-1);

  std::size_t index = kMade;  ///< of the history's message; kMade: it is `summary`
  SystemMessage summary{};
  std::int64_t tokens = 0;
  std::string job_time{};  ///< JSON: the line that this question tells now; empty: as it was
};

struct Compressed {
  CompressionMode mode = CompressionMode::Extract;
  std::vector<KeptMessage> messages;
  std::int64_t tokens_before = 0;
  std::int64_t tokens_after = 0;
  std::string missed;  ///< why it has more tokens than it should; empty: it hasn't
};

/// System messages and the last ones, with the calls of their results and what the user said last
/// before them; and what skills brought in the round under way, the newest first, as far as the
/// target allows.
Compressed truncate(std::span<const CountedMessage> history, int keep_messages,
                    std::int64_t target);

/// How much of the last rounds stays as it is.
struct RecentRounds {
  int rounds = 5;
  int units_of_last = 0;  ///< so many of the last one's units, and what the user said; 0: all
  bool skills = true;     ///< and, of these units, what its skills brought
};

/// System messages and the recent rounds; of older ones what has room by priority, with a summary
/// of each that isn't whole.
Compressed extract(std::span<const CountedMessage> history, const RecentRounds& recent,
                   const CompressionRules& rules, const CountTokens& count, std::int64_t target);

/// As the rules say: nothing where the history has no more than `target` tokens. Where the recent
/// rounds alone have more than `most`, fewer of them stay complete, and of the last one at least
/// its last steps, with what its skills brought if that has room.
Compressed compress(std::span<const CountedMessage> history, const CompressionRules& rules,
                    const CountTokens& count, std::int64_t target, std::int64_t most);

/// The date of the job under way stays: where the question that tells it goes, the next one that
/// stays tells it. Of what compress() left, the first question behind the one that told the job's
/// date and went tells that from now on; how many tokens that takes. 0: nothing was told, or it is
/// told still. The messages from `first` on are the job's; what earlier jobs were told may go.
std::int64_t keep_job_date(std::span<const CountedMessage> history, std::size_t first,
                           const CountTokens& count, Compressed& compressed);

/// The question as it is sent then.
HumanMessage told_with(HumanMessage question, const KeptMessage& kept);

}  // namespace ba
