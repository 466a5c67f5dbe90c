#pragma once
// SPDX-License-Identifier: Apache-2.0
// Valid random conversations of what one form can hold; the same seed gives the same.

#include <random>
#include <string>
#include <vector>

#include "pipeline/text/carrier/carrier.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/message.hpp"

namespace ba::test {

class RandomConversation {
 public:
  RandomConversation(unsigned seed, CarrierFormat form) : engine_(seed), form_(form) {}

  std::vector<Message> next() {
    for (int i = number(0, 2); i > 0; --i) add(SystemMessage{{}, text()});
    for (int rounds = number(1, 4); rounds > 0; --rounds) add_round();
    return std::move(messages_);
  }

 private:
  int number(int low, int high) { return std::uniform_int_distribution(low, high)(engine_); }
  bool maybe() { return number(0, 1) == 1; }
  bool is(CarrierFormat form) const { return form_ == form; }

  std::string text() {
    static const std::string kPieces[] = {"a",      "Z9 ",  "\"",   "\\",   "/", "\n",
                                          "\r\t",   "\b\f", "\x01", "\x7f", "é", "漢",
                                          "\u2028", "😀",    "{",    "]"};
    std::string result;
    for (int i = number(0, 12); i > 0; --i) result += kPieces[number(0, 15)];
    return result;
  }

  std::string quoted(const std::string& plain) {
    std::string json;
    append_json_string(json, plain);
    return json;
  }

  std::string json_object() {
    static const std::string kValues[] = {
        "1.0", "1e5",           "null", "12345678901234567890123", "true", "[ 1 , {\"x\" : []} ]",
        "-0",  "\"\\u00e9\\/\""};
    std::string result = maybe() ? "{" : "{ ";
    const int members = number(0, 3);
    for (int i = 0; i < members; ++i) {
      if (i > 0) result += maybe() ? "," : " ,\n";
      result += quoted("k" + std::to_string(i) + text());
      result += maybe() ? ": " : ":";
      result += kValues[number(0, 7)];
    }
    return result + "}";
  }

  void add(Message message) {
    if (is(CarrierFormat::Langchain)) {
      MessageMeta& meta = meta_of(message);
      if (maybe()) meta.message_id = MessageId("m" + std::to_string(messages_.size()) + text());
      if (maybe()) meta.conversation_id = ConversationId(text());
      if (maybe()) meta.user_id = text();
      if (maybe()) meta.timestamp = WallTime(Microseconds(number(0, 2'000'000'000) * 1'000'003LL));
      if (maybe()) meta.additional_kwargs["n" + text()] = json_object();
    }
    messages_.push_back(std::move(message));
  }

  void add_round() {
    for (int i = number(1, 2); i > 0; --i) add(HumanMessage{{}, text()});
    if (number(0, 5) == 0) add(SystemMessage{{}, text()});
    for (int steps = number(0, 2); steps > 0; --steps) add_step(number(1, 3));
    add_step(0);
  }

  void add_step(int calls) {
    AiMessage ai;
    ai.text = text();
    for (int i = 0; i < calls; ++i) ai.tool_calls.push_back(call());
    if (is(CarrierFormat::Langchain) || is(CarrierFormat::Openai)) ai.thinking = text();
    if (is(CarrierFormat::Langchain) && maybe())
      ai.usage = {number(0, 99999), number(0, 999), number(0, 999), number(0, 999), 7};
    if (maybe()) add_extra(ai);
    add(ai);
    for (const ToolCall& made : ai.tool_calls) {
      const bool fails = maybe() && (is(CarrierFormat::Langchain) || is(CarrierFormat::Anthropic));
      add(ToolMessage{
          {}, made.id, made.name, text(), fails ? ToolStatus::Error : ToolStatus::Success});
    }
  }

  ToolCall call() {
    ToolCall call;
    call.id = ToolCallId("call_" + std::to_string(++calls_) + text());
    call.name = "t" + text();
    if (is(CarrierFormat::Anthropic) || number(0, 3) > 0) {
      call.args_json = json_object();
    } else if (is(CarrierFormat::Langchain)) {
      call.invalid_args = text();
      call.args_error = "e" + text();
    } else {
      call.invalid_args = "[" + std::to_string(calls_) + "]";
      call.args_error = "the arguments must be a JSON object, not an array";
    }
    return call;
  }

  void add_extra(AiMessage& ai) {
    switch (form_) {
      case CarrierFormat::Anthropic:
        return add_anthropic(ai);
      case CarrierFormat::Responses:
        return add_responses(ai);
      case CarrierFormat::Openai:
        ai.extra = ProviderExtra{"openai_chat",
                                 "{\"x" + std::to_string(calls_) + "\":" + json_object() + "}"};
        return;
      default:
        ai.extra = ProviderExtra{"other/main", json_object() + text()};
    }
  }

  void add_anthropic(AiMessage& ai) {
    ai.thinking = "thought" + text();
    std::string json = R"([{"type": "thinking","thinking":)" + quoted(ai.thinking) +
                       R"(,"signature":"c2ln/+=="},{"type":"redacted_thinking","data":"x"})";
    if (!ai.text.empty()) json += R"(,{"type":"text","text":)" + quoted(ai.text) + "}";
    for (const ToolCall& made : ai.tool_calls)
      json += R"(,{"type":"tool_use","id":)" + quoted(made.id.value) + R"(,"name":)" +
              quoted(made.name) + R"(,"input":)" + made.args_json + R"(,"caller":{}})";
    ai.extra = ProviderExtra{"anthropic", json + "]"};
  }

  void add_responses(AiMessage& ai) {
    ai.thinking = "summary" + text();
    std::string json =
        R"([{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":)" +
        quoted(ai.thinking) + R"(}],"encrypted_content":"ZW5j"})";
    if (!ai.text.empty() || ai.tool_calls.empty())
      json += R"(,{"type":"message","role":"assistant","id":"msg_1","content":[{"type":)"
              R"("output_text","text":)" +
              quoted(ai.text) + R"(,"annotations":[]}]})";
    for (const ToolCall& made : ai.tool_calls)
      json += R"(,{"type":"function_call","id":"fc_1","call_id":)" + quoted(made.id.value) +
              R"(,"name":)" + quoted(made.name) + R"(,"arguments":)" +
              quoted(made.valid() ? made.args_json : made.invalid_args) + "}";
    ai.extra = ProviderExtra{"openai_responses", json + "]"};
  }

  std::mt19937 engine_;
  const CarrierFormat form_;
  std::vector<Message> messages_;
  int calls_ = 0;
};

}  // namespace ba::test
