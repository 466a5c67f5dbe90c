#pragma once
// SPDX-License-Identifier: Apache-2.0
// Conversations of any kind that grow, at random: the same seed gives the same one. For tests of
// what is written of them.

#include <array>
#include <random>
#include <string>
#include <vector>

#include "pipeline/core/model/model_client.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba::llm {

class GrowingConversation {
 public:
  /// `origin` is that of the provider's own replies, in whose form extras are made.
  GrowingConversation(unsigned seed, std::string origin)
      : engine_(seed), origin_(std::move(origin)) {}

  int number(int low, int high) { return std::uniform_int_distribution(low, high)(engine_); }
  bool one_in(int n) { return number(1, n) == 1; }

  const std::vector<Message>& messages() const { return messages_; }

  /// A whole step: all calls are answered at its end.
  void grow() {
    if (messages_.empty() && one_in(4)) return system();
    switch (number(0, 7)) {
      case 0:
      case 1:
        return human({});
      case 2:
        return human({{"isMeta", "true"}});  // a reminder, a request to repair an answer
      case 3:
        return skill();
      default:
        return reply();
    }
  }

  /// As a compression does it: summaries, and the end of what there was.
  void compress() {
    std::size_t first = messages_.size() / 2;
    while (first < messages_.size() && !std::holds_alternative<HumanMessage>(messages_[first]))
      ++first;
    const std::vector<Message> left(messages_.begin() + static_cast<std::ptrdiff_t>(first),
                                    messages_.end());
    messages_.clear();
    for (int summaries = number(0, 2); summaries > 0; --summaries) system();
    messages_.insert(messages_.end(), left.begin(), left.end());
  }

 private:
  std::string text() {
    static const std::array<std::string, 8> kPieces{"a",         "\"\n", "漢", "\\",
                                                    "two words", "[{",   "  ", ""};
    std::string text;
    for (int i = number(0, 6); i > 0; --i)
      text += kPieces[static_cast<std::size_t>(number(0, kPieces.size() - 1))];
    return one_in(30) ? text + std::string(3'000, 'x') : text;
  }

  MessageMeta meta() {
    MessageMeta meta;
    meta.message_id = MessageId("m" + std::to_string(++ids_));
    return meta;
  }

  void system() { messages_.emplace_back(SystemMessage{meta(), "Round: " + text()}); }

  void human(std::map<std::string, std::string> flags) {
    HumanMessage message{meta(), text()};
    message.meta.additional_kwargs = std::move(flags);
    if (one_in(5)) message.meta.additional_kwargs["job_time"] = R"("Today is Friday.")";
    messages_.emplace_back(std::move(message));
  }

  void skill() {
    AiMessage hidden;
    hidden.meta = meta();
    hidden.meta.additional_kwargs = {{"isMeta", "true"}, {"skill", R"("s")"}};
    hidden.text = "Do it so: " + text();
    messages_.emplace_back(std::move(hidden));
    human({{"skill", R"("s")"}});
  }

  void reply() {
    AiMessage message;
    message.meta = meta();
    message.text = text();
    for (int i = one_in(3) ? 0 : number(1, 3); i > 0; --i) message.tool_calls.push_back(call(i));
    if (!one_in(3)) message.extra = extra(message);
    const std::vector<ToolCall> calls = message.tool_calls;
    messages_.emplace_back(std::move(message));
    for (const ToolCall& call : calls)
      messages_.emplace_back(ToolMessage{meta(), call.id, call.name, text(),
                                         one_in(4) ? ToolStatus::Error : ToolStatus::Success});
  }

  /// Servers number calls anew in each reply, and have ids that others don't take.
  ToolCall call(int number_in_reply) {
    ToolCall call;
    call.id = ToolCallId(one_in(2) ? "call_" + std::to_string(number_in_reply)
                                   : "an id: " + std::to_string(number_in_reply) +
                                         std::string(one_in(4) ? 60 : 0, 'i'));
    call.name = one_in(5) ? "no such tool!" : "query_database";
    call.args_json = one_in(3) ? "{}" : R"({"sql":"SELECT \"a\""})";
    return call;
  }

  ProviderExtra extra(const AiMessage& message) {
    if (one_in(4)) return {"somebody/else", "[1]"};
    if (origin_.starts_with("anthropic")) return {origin_, blocks(message)};
    if (origin_.starts_with("openai_chat")) return {origin_, members(message)};
    return {origin_, items(message)};
  }

  static std::string quoted(const std::string& text) {
    std::string json;
    append_json_string(json, text);
    return json;
  }

  std::string blocks(const AiMessage& message) {
    std::string json = "[";
    if (one_in(2))
      next_element(json) +=
          R"({"type":"thinking","thinking":)" + quoted(text()) + R"(,"signature":"s"})";
    next_element(json) += R"({"type":"text","text":)" + quoted(message.text) + "}";
    for (const ToolCall& call : message.tool_calls)
      next_element(json) += R"({"type":"tool_use","id":)" + quoted(call.id.value) + R"(,"name":)" +
                            quoted(call.name) + R"(,"input":)" + call.args_json + "}";
    if (one_in(8)) next_element(json) += R"({"type":"thinking","thinking":"cut"})";
    return json + "]";
  }

  std::string members(const AiMessage& message) {
    std::string json = R"({"reasoning_content":)" + quoted(text());
    if (!message.tool_calls.empty()) json += R"(,"tool_calls":[{"extra_content":{"a":1}}])";
    return json + "}";
  }

  std::string items(const AiMessage& message) {
    std::string json = "[";
    if (one_in(2))
      next_element(json) += R"({"type":"reasoning","id":"rs_1","encrypted_content":"e"})";
    if (!message.text.empty())
      next_element(json) += R"({"type":"message","id":"msg_1","role":"assistant","content":[)"
                            R"({"type":"output_text","text":)" +
                            quoted(message.text) + "}]}";
    for (const ToolCall& call : message.tool_calls)
      next_element(json) += R"({"type":"function_call","id":"fc_1","call_id":)" +
                            quoted(call.id.value) + R"(,"name":)" + quoted(call.name) +
                            R"(,"arguments":)" + quoted(call.args_json) + "}";
    return json + "]";
  }

  std::mt19937 engine_;
  const std::string origin_;
  std::vector<Message> messages_;
  int ids_ = 0;
};

}  // namespace ba::llm
