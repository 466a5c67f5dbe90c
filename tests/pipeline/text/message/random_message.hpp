#pragma once
// SPDX-License-Identifier: Apache-2.0
// Valid random messages for round-trip tests; the same seed gives the same messages.

#include <random>
#include <string>

#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/message.hpp"

namespace ba::test {

class RandomMessages {
 public:
  explicit RandomMessages(unsigned seed) : engine_(seed) {}

  Message next() {
    switch (number(0, 3)) {
      case 0:
        return SystemMessage{meta(), text()};
      case 1:
        return HumanMessage{meta(), text()};
      case 2:
        return ai();
      default:
        return ToolMessage{meta(), ToolCallId("c" + text()), text(), text(),
                           number(0, 1) ? ToolStatus::Error : ToolStatus::Success};
    }
  }

 private:
  int number(int low, int high) { return std::uniform_int_distribution(low, high)(engine_); }

  std::string text() {
    static const std::string kPieces[] = {"a",      "Z9 ",  "\"",   "\\",   "/", "\n",
                                          "\r\t",   "\b\f", "\x01", "\x7f", "é", "漢",
                                          "\u2028", "😀",    "{",    "]"};
    std::string result;
    for (int i = number(0, 12); i > 0; --i) result += kPieces[number(0, 15)];
    return result;
  }

  std::string json_object() {
    static const std::string kValues[] = {"1.0",
                                          "1e5",
                                          "12345678901234567890123",
                                          "null",
                                          "true",
                                          "[ 1 , {\"x\" : []} ]",
                                          "\"\\u00e9\\/\"",
                                          "-0",
                                          "{}"};
    std::string result = number(0, 1) ? "{" : "{ ";
    const int members = number(0, 3);
    for (int i = 0; i < members; ++i) {
      if (i > 0) result += number(0, 1) ? "," : " ,\n";
      append_json_string(result, "k" + std::to_string(i) + text());
      result += number(0, 1) ? ": " : ":";
      result += kValues[number(0, 8)];
    }
    return result + "}";
  }

  MessageMeta meta() {
    MessageMeta meta;
    meta.message_id = MessageId("m" + text());
    meta.conversation_id = ConversationId(text());
    meta.round_id = text();
    meta.user_id = text();
    meta.timestamp = WallTime(Microseconds(number(0, 2'000'000'000) * 1'000'003LL));
    for (int i = number(0, 2); i > 0; --i)
      meta.additional_kwargs["n" + text()] = number(0, 1) ? "true" : json_object();
    return meta;
  }

  ToolCall call(int index) {
    ToolCall call;
    call.id = ToolCallId("call_" + std::to_string(index) + text());
    call.name = "t" + text();
    if (number(0, 2) > 0) {
      call.args_json = json_object();
    } else {
      call.invalid_args = text();
      call.args_error = "e" + text();
    }
    return call;
  }

  AiMessage ai() {
    AiMessage message;
    message.meta = meta();
    message.text = text();
    message.thinking = text();
    const int calls = number(0, 4);
    for (int i = 0; i < calls; ++i) message.tool_calls.push_back(call(i));
    if (number(0, 1))
      message.usage = {number(0, 99999), number(0, 999), number(0, 999), number(0, 999), 7};
    if (number(0, 1)) message.extra = ProviderExtra{"anthropic", json_object() + text()};
    return message;
  }

  std::mt19937 engine_;
};

}  // namespace ba::test
