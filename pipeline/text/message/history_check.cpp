// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/history_check.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "pipeline/base/assert.hpp"

namespace ba {
namespace {

Error invalid(const std::string& field, const std::string& message) {
  return invalid_argument(field + " " + message);
}

std::string element(std::size_t index) { return "messages[" + std::to_string(index) + "]"; }

const std::string& id_of(const Message& message) { return meta_of(message).message_id.value; }

const std::vector<ToolCall>& calls_of(const Message& message) {
  return std::get<AiMessage>(message).tool_calls;
}

}  // namespace

std::size_t MessageIds::slot_of(const std::string& id) const {
  return std::hash<std::string>{}(id) & (slots_.size() - 1);
}

bool MessageIds::contains(std::span<const Message* const> messages, const std::string& id) const {
  if (slots_.empty()) return false;
  for (std::size_t at = slot_of(id); slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
    if (id_of(*messages[slots_[at] - 1]) == id) return true;
  return false;
}

void MessageIds::put(std::span<const Message* const> messages, std::size_t place) {
  std::size_t at = slot_of(id_of(*messages[place]));
  while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = static_cast<std::uint32_t>(place + 1);
}

void MessageIds::add(std::span<const Message* const> messages) {
  constexpr std::size_t kSlotsLeast = 16;
  BA_ASSERT(size_ < std::numeric_limits<std::uint32_t>::max());
  if (2 * (size_ + 1) > slots_.size()) {  // half of them stay free
    slots_.assign(std::max(kSlotsLeast, 2 * slots_.size()), 0);
    for (std::size_t place = 0; place < size_; ++place) put(messages, place);
  }
  put(messages, size_++);
}

Result<void> HistoryCheck::check(std::span<const Message* const> messages, HistoryEnd end) {
  if (messages.size() < valid_) *this = HistoryCheck();
  for (; valid_ < messages.size(); ++valid_)
    if (auto good = add(messages); !good) return good;
  return end == HistoryEnd::Answered ? check_answered(messages) : Result<void>{};
}

/// The one behind the valid ones. Nothing is changed where it is refused.
Result<void> HistoryCheck::add(std::span<const Message* const> messages) {
  const Message& message = *messages[valid_];
  ++looked_at_;
  if (auto good = validate_message(message); !good)
    return invalid_argument(element(valid_) + "." + good.error().message);
  const std::string& id = id_of(message);
  if (ids_.contains(messages, id))
    return invalid(element(valid_) + ".message_id", "\"" + id + "\" stands there twice");
  if (auto good = follow(messages); !good) return good;
  ids_.add(messages);
  return {};
}

/// The calls of the last AIMessage and their answers.
Result<void> HistoryCheck::follow(std::span<const Message* const> messages) {
  const Message& message = *messages[valid_];
  if (const auto* answer = std::get_if<ToolMessage>(&message))
    return take_answer(messages, *answer);
  if (auto good = check_answered(messages); !good) return good;
  if (std::holds_alternative<AiMessage>(message)) {
    asker_ = valid_;
    answered_ = 0;
  }
  return {};
}

Result<void> HistoryCheck::take_answer(std::span<const Message* const> messages,
                                       const ToolMessage& answer) {
  const auto refused = [this](const std::string& why) {
    return invalid(element(valid_) + ".tool_call_id", why);
  };
  const std::string& id = answer.tool_call_id.value;
  if (!asker_ || answered_ == calls_of(*messages[*asker_]).size())
    return refused("\"" + id + "\" answers no open tool call");
  const std::string& expected = calls_of(*messages[*asker_])[answered_].id.value;
  if (id != expected)
    return refused("must be \"" + expected + "\", the next open call, not \"" + id + "\"");
  ++answered_;
  return {};
}

Result<void> HistoryCheck::check_answered(std::span<const Message* const> messages) const {
  if (!asker_) return {};
  const std::vector<ToolCall>& calls = calls_of(*messages[*asker_]);
  if (answered_ == calls.size()) return {};
  const std::string field = element(*asker_) + ".tool_calls[" + std::to_string(answered_) + "]";
  return invalid(field, "(id \"" + calls[answered_].id.value + "\") is not answered");
}

}  // namespace ba
