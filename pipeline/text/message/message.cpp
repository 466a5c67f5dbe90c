// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/message.hpp"

namespace ba {

Usage& Usage::operator+=(const Usage& other) {
  input_tokens += other.input_tokens;
  cache_read_tokens += other.cache_read_tokens;
  cache_write_tokens += other.cache_write_tokens;
  output_tokens += other.output_tokens;
  thinking_tokens += other.thinking_tokens;
  return *this;
}

MessageMeta message_meta(const MessageOwner& owner, const Position& position, WallTime at) {
  MessageMeta meta;
  meta.message_id = message_id(owner.job, position);
  meta.conversation_id = owner.conversation;
  meta.round_id = round_id(owner.job, position.round);
  meta.user_id = owner.user_id;
  meta.timestamp = at;
  return meta;
}

const MessageMeta& meta_of(const Message& message) {
  return std::visit([](const auto& m) -> const MessageMeta& { return m.meta; }, message);
}

MessageMeta& meta_of(Message& message) {
  return std::visit([](auto& m) -> MessageMeta& { return m.meta; }, message);
}

}  // namespace ba
