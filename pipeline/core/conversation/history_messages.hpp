#pragma once
// SPDX-License-Identifier: Apache-2.0
// The messages of a running job's conversation: they are only added to, and so their texts are
// counted once each. Part of ConversationState.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "pipeline/text/message/message.hpp"

namespace ba {

/// What limits.history_bytes_max counts of a message.
std::int64_t text_bytes(const Message& message);

class HistoryMessages {
 public:
  HistoryMessages() = default;
  HistoryMessages(std::vector<Message> messages);
  HistoryMessages(std::initializer_list<Message> messages)
      : HistoryMessages(std::vector<Message>(messages)) {}

  void push_back(Message message);

  /// Of all of them.
  std::int64_t bytes() const { return bytes_; }

  operator const std::vector<Message>&() const { return messages_; }
  auto begin() const { return messages_.begin(); }
  auto end() const { return messages_.end(); }
  auto rbegin() const { return messages_.rbegin(); }
  auto rend() const { return messages_.rend(); }
  std::size_t size() const { return messages_.size(); }
  const Message& operator[](std::size_t place) const { return messages_[place]; }
  const Message& front() const { return messages_.front(); }
  const Message& back() const { return messages_.back(); }

 private:
  std::vector<Message> messages_;
  std::int64_t bytes_ = 0;
};

}  // namespace ba
