// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/history_messages.hpp"

#include <utility>

namespace ba {

std::int64_t text_bytes(const Message& message) {
  if (const auto* ai = std::get_if<AiMessage>(&message)) {
    std::size_t bytes = ai->text.size() + ai->thinking.size();
    for (const ToolCall& call : ai->tool_calls) bytes += call.args_json.size();
    return static_cast<std::int64_t>(bytes + (ai->extra ? ai->extra->json.size() : 0));
  }
  if (const auto* tool = std::get_if<ToolMessage>(&message))
    return static_cast<std::int64_t>(tool->content.size());
  if (const auto* human = std::get_if<HumanMessage>(&message))
    return static_cast<std::int64_t>(human->text.size());
  return static_cast<std::int64_t>(std::get<SystemMessage>(message).text.size());
}

HistoryMessages::HistoryMessages(std::vector<Message> messages) : messages_(std::move(messages)) {
  for (const Message& message : messages_) bytes_ += text_bytes(message);
}

void HistoryMessages::push_back(Message message) {
  bytes_ += text_bytes(message);
  messages_.push_back(std::move(message));
}

}  // namespace ba
