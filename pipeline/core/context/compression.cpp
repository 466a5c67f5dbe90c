// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/context/compression.hpp"

#include <algorithm>

#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/text/message/job_time.hpp"

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

const HumanMessage* question_at(std::span<const CountedMessage> history, std::size_t at) {
  const auto* human = std::get_if<HumanMessage>(history[at].message);
  return human != nullptr && !is_hidden(*history[at].message) ? human : nullptr;
}

/// The last one that tells a date: a copy of a job has that of its source before its own.
std::size_t teller(std::span<const CountedMessage> history, std::size_t first) {
  for (std::size_t at = history.size(); at > first; --at) {
    const HumanMessage* question = question_at(history, at - 1);
    if (question != nullptr && tells_job_time(*question)) return at - 1;
  }
  return KeptMessage::kMade;
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

std::int64_t keep_job_date(std::span<const CountedMessage> history, std::size_t first,
                           const CountTokens& count, Compressed& compressed) {
  const std::size_t told = teller(history, first);
  if (told == KeptMessage::kMade) return 0;
  const auto next = std::ranges::find_if(compressed.messages, [&](const KeptMessage& kept) {
    return kept.index != KeptMessage::kMade && kept.index >= told &&
           question_at(history, kept.index) != nullptr;
  });
  if (next == compressed.messages.end() || next->index == told) return 0;
  const auto& kwargs = meta_of(*history[told].message).additional_kwargs;
  next->job_time = kwargs.at(std::string(kJobTimeKwarg));
  const Message now = told_with(*question_at(history, next->index), *next);
  const std::int64_t tokens = message_tokens(now, count) - next->tokens;
  next->tokens += tokens;
  compressed.tokens_after += tokens;
  return tokens;
}

HumanMessage told_with(HumanMessage question, const KeptMessage& kept) {
  question.meta.additional_kwargs[std::string(kJobTimeKwarg)] = kept.job_time;
  return question;
}

}  // namespace ba
