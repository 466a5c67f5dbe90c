// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/carrier/conversation_builder.hpp"

#include "pipeline/text/carrier/carrier.hpp"
#include "pipeline/text/message/validate.hpp"

namespace ba {

void ConversationBuilder::add(Message message, const std::string& field,
                              std::vector<std::string> call_fields) {
  if (!reader_.good()) return;
  if (messages_.size() == kCarriedMessagesMax)
    return reader_.refuse(field, "is one more than the " + std::to_string(kCarriedMessagesMax) +
                                     " messages that a conversation may have");
  if (auto* result = std::get_if<ToolMessage>(&message))
    answer(*result, field);
  else
    check_answered();
  check_message(message, field);
  if (const auto* ai = std::get_if<AiMessage>(&message)) {
    calls_.clear();
    answered_ = 0;
    for (std::size_t i = 0; i < ai->tool_calls.size(); ++i)
      calls_.push_back({ai->tool_calls[i].id.value, ai->tool_calls[i].name, call_fields[i]});
  }
  messages_.push_back(std::move(message));
}

void ConversationBuilder::check_message(Message& message, const std::string& field) {
  MessageMeta& meta = meta_of(message);
  const bool named = !meta.message_id.empty();
  if (named && !ids_.insert(meta.message_id.value).second)
    return reader_.refuse(field, "has the id \"" + meta.message_id.value +
                                     "\", which an earlier message has already");
  if (!named) meta.message_id = MessageId("none");
  const auto valid = validate_message(message);
  if (!named) meta.message_id = MessageId();
  if (valid) return;
  const std::string& why = valid.error().message;
  const std::size_t space = why.find(' ');
  reader_.refuse(field + "." + why.substr(0, space), why.substr(space + 1));
}

void ConversationBuilder::answer(ToolMessage& message, const std::string& field) {
  const std::string where = field + "." + answer_member_;
  const std::string& id = message.tool_call_id.value;
  if (answered_ == calls_.size())
    return reader_.refuse(where, "\"" + id + "\" answers no open tool call");
  const OpenCall& call = calls_[answered_];
  if (id != call.id)
    return reader_.refuse(where, "must be \"" + call.id + "\", the next open call, not \"" + id +
                                     "\": calls are answered once each, in their order");
  if (message.tool_name.empty()) message.tool_name = call.name;
  ++answered_;
}

void ConversationBuilder::check_answered() {
  if (answered_ < calls_.size())
    reader_.refuse(calls_[answered_].field,
                   "(id \"" + calls_[answered_].id + "\") is not answered");
}

}  // namespace ba
