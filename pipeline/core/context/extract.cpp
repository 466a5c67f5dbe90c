// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "pipeline/core/context/compression.hpp"
#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/core/context/round_summary.hpp"

namespace ba {
namespace {

/// A round of which not everything may stay.
struct OldRound {
  const HistoryRound* round = nullptr;
  std::vector<bool> kept;  ///< by unit
  SystemMessage summary{};
  std::int64_t summary_tokens = 0;

  bool whole() const { return std::ranges::find(kept, false) == kept.end(); }
  bool summarizes() const { return !round->summarized && !whole(); }
};

class Extraction {
 public:
  Extraction(std::span<const CountedMessage> history, const RecentRounds& recent,
             const CompressionRules& rules, const CountTokens& count)
      : history_(history), rules_(rules), count_(count), rounds_(history_rounds(history)) {
    // A round of summaries alone is none that somebody asked for.
    int left = recent.rounds;
    for (auto round = rounds_.rbegin(); round != rounds_.rend(); ++round) {
      const bool whole = round->units.empty() || left > 0;
      const bool last = left == recent.rounds && !round->units.empty();
      if (!round->units.empty()) --left;
      if (!whole)
        old_.push_back(shortened(*round, 0, false));
      else if (last && recent.units_of_last > 0)
        old_.push_back(
            shortened(*round, static_cast<std::size_t>(recent.units_of_last), recent.skills));
    }
    std::ranges::reverse(old_);
  }

  Compressed run(std::int64_t target) {
    choose(target);
    for (OldRound& old : old_) keep_what_a_summary_would_exceed(old);
    Compressed result = assembled();
    if (result.tokens_after > target)
      result.missed = "what has to stay (system messages, the last rounds, summaries) has " +
                      std::to_string(result.tokens_after) + " tokens; the target is " +
                      std::to_string(target);
    return result;
  }

 private:
  /// The round with its last units and what the user said fixed, if any are to be.
  OldRound shortened(const HistoryRound& round, std::size_t units_fixed, bool skills) const {
    OldRound old;
    old.round = &round;
    old.kept.assign(round.units.size(), false);
    if (units_fixed > 0)
      for (std::size_t i = 0; i < round.units.size(); ++i)
        old.kept[i] = i + units_fixed >= round.units.size() || i == request_of(round) ||
                      (skills && round.units[i].kind == UnitKind::Skill);
    old.summary = round_summary(round.id, messages_of(round), rules_.decision_words);
    old.summary_tokens = message_tokens(old.summary, count_);
    keep_what_a_summary_would_exceed(old);
    return old;
  }

  static void keep_what_a_summary_would_exceed(OldRound& old) {
    std::int64_t dropped = 0;
    for (std::size_t i = 0; i < old.kept.size(); ++i)
      if (!old.kept[i]) dropped += old.round->units[i].tokens;
    if (old.summarizes() && dropped <= old.summary_tokens) old.kept.assign(old.kept.size(), true);
  }

  static std::size_t request_of(const HistoryRound& round) {
    const auto found = std::ranges::find(round.units, UnitKind::Human, &HistoryUnit::kind);
    return static_cast<std::size_t>(found - round.units.begin());
  }

  std::vector<CountedMessage> messages_of(const HistoryRound& round) const {
    std::vector<CountedMessage> messages;
    for (const HistoryUnit& unit : round.units)
      for (std::size_t i = 0; i < unit.count; ++i) messages.push_back(history_[unit.first + i]);
    return messages;
  }

  /// Everything but what may go, with the summaries.
  std::int64_t tokens_at_least() const {
    std::int64_t tokens = 0;
    for (const CountedMessage& message : history_) tokens += message.tokens;
    for (const OldRound& old : old_) {
      if (!old.round->summarized) tokens += old.summary_tokens;
      for (std::size_t i = 0; i < old.kept.size(); ++i)
        if (!old.kept[i]) tokens -= old.round->units[i].tokens;
    }
    return tokens;
  }

  /// By priority, the newest first, whatever has room. Of a round without what the user said
  /// nothing else is kept: a history begins with it.
  void choose(std::int64_t target) {
    std::int64_t room = target - tokens_at_least();
    for (const UnitKind kind : {UnitKind::Human, UnitKind::Skill, UnitKind::ErrorResults,
                                UnitKind::Calls, UnitKind::PlainAi, UnitKind::Log})
      for (auto old = old_.rbegin(); old != old_.rend(); ++old)
        for (std::size_t i = old->kept.size(); i-- > 0;) {
          const HistoryUnit& unit = old->round->units[i];
          if (unit.kind != kind || old->kept[i] || unit.tokens > room) continue;
          const std::size_t request = request_of(*old->round);
          if (kind != UnitKind::Human && request < old->kept.size() && !old->kept[request])
            continue;
          old->kept[i] = true;
          room -= unit.tokens;
        }
  }

  Compressed assembled() const {
    Compressed result;
    std::set<std::size_t> dropped;
    for (const OldRound& old : old_)
      for (std::size_t i = 0; i < old.kept.size(); ++i)
        for (std::size_t k = 0; k < old.round->units[i].count && !old.kept[i]; ++k)
          dropped.insert(old.round->units[i].first + k);
    auto old = old_.begin();
    for (std::size_t at = 0; at < history_.size(); ++at) {
      result.tokens_before += history_[at].tokens;
      // A summary stands where its round begins.
      if (old != old_.end() && !old->round->units.empty() && at == old->round->units[0].first) {
        if (old->summarizes()) {
          result.messages.push_back({KeptMessage::kMade, old->summary, old->summary_tokens});
          result.tokens_after += old->summary_tokens;
        }
        ++old;
      }
      if (dropped.contains(at)) continue;
      result.messages.push_back({at, {}, history_[at].tokens});
      result.tokens_after += history_[at].tokens;
    }
    return result;
  }

  const std::span<const CountedMessage> history_;
  const CompressionRules& rules_;
  const CountTokens& count_;
  const std::vector<HistoryRound> rounds_;
  std::vector<OldRound> old_;  ///< in order
};

}  // namespace

Compressed extract(std::span<const CountedMessage> history, const RecentRounds& recent,
                   const CompressionRules& rules, const CountTokens& count, std::int64_t target) {
  return Extraction(history, recent, rules, count).run(target);
}

}  // namespace ba
