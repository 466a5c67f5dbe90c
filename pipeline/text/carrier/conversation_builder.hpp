#pragma once
// SPDX-License-Identifier: Apache-2.0
// Puts the messages of a foreign conversation together and checks them one by one: each by itself,
// their ids, and that calls are answered, in order, before anything else. What is wrong is told by
// the foreign field. Owned by one conversion.

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "pipeline/text/carrier/field_reader.hpp"
#include "pipeline/text/message/message.hpp"

namespace ba {

class ConversationBuilder {
 public:
  /// `answer_member`: what the form calls the id of the call that is answered.
  ConversationBuilder(FieldReader& reader, std::string_view answer_member)
      : reader_(reader), answer_member_(answer_member) {}

  /// `field` is where the message stands; `call_fields` where its calls do. A result without the
  /// name of its tool gets that of the call.
  void add(Message message, const std::string& field, std::vector<std::string> call_fields = {});

  /// Nothing more comes.
  void finish() { check_answered(); }

  std::vector<Message> take() { return std::move(messages_); }

 private:
  void check_message(Message& message, const std::string& field);
  void answer(ToolMessage& message, const std::string& field);
  void check_answered();

  struct OpenCall {
    std::string id;
    std::string name;
    std::string field;
  };

  FieldReader& reader_;
  const std::string answer_member_;
  std::vector<Message> messages_;
  std::unordered_set<std::string> ids_;
  std::vector<OpenCall> calls_;  // of the last AIMessage
  std::size_t answered_ = 0;
};

}  // namespace ba
