#pragma once
// SPDX-License-Identifier: Apache-2.0
// Histories of tests: rounds of steps, each with its messages. Values.

#include <deque>
#include <string>
#include <vector>

#include "pipeline/core/context/compression.hpp"

namespace ba::test {

/// A token for each four bytes, and one for what is left.
inline std::int64_t quarter_tokens(std::string_view text) {
  return static_cast<std::int64_t>((text.size() + 3) / 4);
}

/// The history that is left.
inline std::vector<Message> compressed_history(std::span<const CountedMessage> history,
                                               const Compressed& compressed) {
  std::vector<Message> messages;
  for (const KeptMessage& kept : compressed.messages)
    messages.push_back(kept.index == KeptMessage::kMade ? Message(kept.summary)
                                                        : *history[kept.index].message);
  return messages;
}

class SampleRounds {
 public:
  SampleRounds& system(const std::string& text) { return add(SystemMessage{{}, text}); }

  SampleRounds& round(const std::string& request) {
    ++round_;
    step_ = 0;
    return add(HumanMessage{{}, request});
  }

  SampleRounds& hidden(const std::string& text) {
    HumanMessage message{{}, text};
    message.meta.additional_kwargs["isMeta"] = "true";
    return add(std::move(message));
  }

  /// What an activation brings.
  SampleRounds& skill(const std::string& name, const std::string& hidden_text,
                      const std::string& visible_text) {
    AiMessage hidden;
    hidden.text = hidden_text;
    hidden.meta.additional_kwargs = {{"isMeta", "true"}, {"skill", '"' + name + '"'}};
    if (!hidden_text.empty()) add(std::move(hidden));
    HumanMessage visible{{}, visible_text};
    visible.meta.additional_kwargs = {{"skill", '"' + name + '"'}};
    return add(std::move(visible));
  }

  SampleRounds& asks_again(const std::string& text) {
    HumanMessage message{{}, text};
    message.meta.additional_kwargs = {{"isMeta", "true"}, {"answer_repair", "true"}};
    return add(std::move(message));
  }

  SampleRounds& says(const std::string& text) {
    AiMessage message;
    message.text = text;
    return add(std::move(message));
  }

  struct Call {
    std::string tool;
    std::string result;
    bool good = true;
  };

  SampleRounds& calls(const std::string& text, const std::vector<Call>& calls) {
    AiMessage asking;
    asking.text = text;
    ++step_;
    for (std::size_t i = 0; i < calls.size(); ++i)
      asking.tool_calls.push_back({call_id(i), calls[i].tool, "{}", "", ""});
    add(std::move(asking));
    for (std::size_t i = 0; i < calls.size(); ++i)
      add(ToolMessage{{},
                      call_id(i),
                      calls[i].tool,
                      calls[i].result,
                      calls[i].good ? ToolStatus::Success : ToolStatus::Error});
    return *this;
  }

  const std::deque<Message>& messages() const { return messages_; }

  std::vector<CountedMessage> counted() const {
    std::vector<CountedMessage> counted;
    for (const Message& message : messages_)
      counted.push_back({&message, message_tokens(message, quarter_tokens)});
    return counted;
  }

 private:
  ToolCallId call_id(std::size_t index) const {
    return ToolCallId("c" + std::to_string(round_) + "." + std::to_string(step_) + "." +
                      std::to_string(index));
  }

  template <typename M>
  SampleRounds& add(M message) {
    message.meta.message_id = MessageId("m" + std::to_string(messages_.size()));
    message.meta.conversation_id = ConversationId("conversation");
    message.meta.round_id = round_ == 0 ? "" : "job/" + std::to_string(round_ - 1);
    messages_.emplace_back(std::move(message));
    return *this;
  }

  std::deque<Message> messages_;
  int round_ = 0;
  int step_ = 0;
};

/// The text of each message that is left.
inline std::vector<std::string> texts_of(const std::vector<Message>& messages) {
  struct Text {
    std::string operator()(const SystemMessage& m) const { return m.text; }
    std::string operator()(const HumanMessage& m) const { return m.text; }
    std::string operator()(const AiMessage& m) const { return m.text; }
    std::string operator()(const ToolMessage& m) const { return m.content; }
  };
  std::vector<std::string> texts;
  for (const Message& message : messages) texts.push_back(std::visit(Text{}, message));
  return texts;
}

}  // namespace ba::test
