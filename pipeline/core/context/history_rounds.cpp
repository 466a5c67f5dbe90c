// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/context/history_rounds.hpp"

#include <algorithm>
#include <set>

#include "pipeline/text/answer/answer.hpp"
#include "pipeline/text/message/job_time.hpp"

namespace ba {
namespace {

struct Tokens {
  const CountTokens& count;

  std::int64_t operator()(const SystemMessage& message) const {
    return count("system") + count(message.text);
  }
  std::int64_t operator()(const HumanMessage& message) const {
    return count("user") + count(text_for_model(message));
  }
  std::int64_t operator()(const AiMessage& message) const {
    std::int64_t tokens = count("assistant") + count(message.text) + count(message.thinking);
    for (const ToolCall& call : message.tool_calls)
      tokens += count(call.name) + count(call.valid() ? call.args_json : call.invalid_args);
    return tokens;
  }
  std::int64_t operator()(const ToolMessage& message) const {
    return count("tool") + count(message.tool_name) + count(message.content);
  }
};

constexpr const char* kSkillFlag = "skill";

bool has_flag(const Message& message, const char* name) {
  const auto& kwargs = meta_of(message).additional_kwargs;
  const auto found = kwargs.find(name);
  return found != kwargs.end() && found->second == "true";
}

class Rounds {
 public:
  explicit Rounds(std::span<const CountedMessage> history) : history_(history) {}

  std::vector<HistoryRound> read() {
    for (std::size_t at = 0; at < history_.size();) at = add(at);
    mark_skills();
    return std::move(rounds_);
  }

 private:
  const Message& message(std::size_t at) const { return *history_[at].message; }

  bool begins_round(std::size_t at) const {
    if (rounds_.empty()) return true;
    const HistoryRound& last = rounds_.back();
    const std::string& id = meta_of(message(at)).round_id;
    const bool said = std::holds_alternative<HumanMessage>(message(at)) && !is_hidden(message(at));
    if (id.empty()) return said && !last.units.empty();
    // A forked job goes on within its source's round, by an id of its own.
    const bool may_begin =
        said || last.units.empty() || std::holds_alternative<SystemMessage>(message(at));
    return may_begin && id != last.id;
  }

  /// The message, with its results where it asked for some; answers with what comes next.
  std::size_t add(std::size_t at) {
    if (begins_round(at)) {
      HistoryRound& round = rounds_.emplace_back();
      round.id = meta_of(message(at)).round_id;
      if (round.id.empty()) round.id = std::to_string(rounds_.size());
    }
    HistoryRound& round = rounds_.back();
    if (std::holds_alternative<SystemMessage>(message(at))) {
      round.system.push_back(at);
      round.summarized = round.summarized || is_round_summary(message(at));
      return at + 1;
    }
    round.units.push_back(unit_at(at));
    return at + round.units.back().count;
  }

  HistoryUnit unit_at(std::size_t at) const {
    HistoryUnit unit;
    unit.first = at;
    unit.tokens = history_[at].tokens;
    if (std::holds_alternative<HumanMessage>(message(at))) {
      unit.kind = is_hidden(message(at)) ? UnitKind::Log : UnitKind::Human;
      return unit;
    }
    if (is_hidden(message(at))) {
      unit.kind = UnitKind::Log;
      // What one activation brings: the hidden message comes first.
      for (std::size_t next = at + 1; next < history_.size(); ++next, ++unit.count) {
        if (!std::holds_alternative<HumanMessage>(message(next)) || skill_of(next).empty() ||
            skill_of(next) != skill_of(at))
          break;
        unit.tokens += history_[next].tokens;
      }
      return unit;
    }
    for (std::size_t next = at + 1; next < history_.size(); ++next, ++unit.count) {
      const auto* result = std::get_if<ToolMessage>(&message(next));
      if (result == nullptr) {
        // A bad answer without it, or the other way round, would be two messages of one side.
        if (!asks_again(message(next))) break;
        unit.tokens += history_[next].tokens;
        ++unit.count;
        break;
      }
      unit.tokens += history_[next].tokens;
      if (result->status == ToolStatus::Error) unit.kind = UnitKind::ErrorResults;
      if (unit.kind == UnitKind::PlainAi) unit.kind = UnitKind::Calls;
    }
    return unit;
  }

  /// Empty: no skill brought it.
  std::string skill_of(std::size_t at) const {
    const auto& kwargs = meta_of(message(at)).additional_kwargs;
    const auto found = kwargs.find(kSkillFlag);
    return found == kwargs.end() ? "" : found->second;
  }

  /// A round ends its skills. What was brought twice is needed once, as it was brought last.
  void mark_skills() {
    const auto last = std::ranges::find_if(rounds_.rbegin(), rounds_.rend(),
                                           [](const auto& round) { return !round.units.empty(); });
    if (last == rounds_.rend()) return;
    std::set<std::string> brought;
    for (auto unit = last->units.rbegin(); unit != last->units.rend(); ++unit)
      if (unit->kind == UnitKind::Log && !skill_of(unit->first).empty() &&
          brought.insert(what_is_brought(*unit)).second)
        unit->kind = UnitKind::Skill;
  }

  std::string what_is_brought(const HistoryUnit& unit) const {
    std::string all = skill_of(unit.first);
    for (std::size_t at = unit.first; at < unit.first + unit.count; ++at) {
      const auto* human = std::get_if<HumanMessage>(&message(at));
      all += human != nullptr ? "\nvisible\n" + human->text
                              : "\nhidden\n" + std::get<AiMessage>(message(at)).text;
    }
    return all;
  }

  const std::span<const CountedMessage> history_;
  std::vector<HistoryRound> rounds_;
};

}  // namespace

std::int64_t message_tokens(const Message& message, const CountTokens& count) {
  return std::visit(Tokens{count}, message);
}

bool is_round_summary(const Message& message) {
  return std::holds_alternative<SystemMessage>(message) && has_flag(message, "compressed");
}

bool is_hidden(const Message& message) {
  return has_flag(message, "isMeta") || meta_of(message).additional_kwargs.contains(kSkillFlag);
}

bool is_reminder(const Message& message) {
  return is_hidden(message) && !meta_of(message).additional_kwargs.contains(kSkillFlag);
}

bool asks_again(const Message& message) { return has_flag(message, kAnswerRepairFlag); }

std::vector<HistoryRound> history_rounds(std::span<const CountedMessage> history) {
  return Rounds(history).read();
}

}  // namespace ba
