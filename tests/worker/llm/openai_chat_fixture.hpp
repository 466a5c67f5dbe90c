#pragma once
// SPDX-License-Identifier: Apache-2.0
// Replies of chat completions in the pieces that tests put together.

#include "tests/worker/llm/protocol_fixture.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"

namespace ba::llm {

class OpenaiChatFixture : public ProtocolFixture {
 protected:
  OpenaiChatFixture() : ProtocolFixture(&openai_chat_protocol()) {}

  static std::string completion(
      const std::string& message, const std::string& finish,
      const std::string& usage = R"({"prompt_tokens":10,"completion_tokens":5})") {
    return R"({"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"message":)" + message +
           R"(,"finish_reason":")" + finish + R"("}],"usage":)" + usage + "}";
  }

  static std::string call(const std::string& id, const std::string& arguments) {
    return R"({"id":")" + id + R"(","type":"function","function":{"name":"q","arguments":)" +
           arguments + "}}";
  }

  static std::string with_calls(const std::string& calls) {
    return R"({"role":"assistant","content":null,"tool_calls":[)" + calls + "]}";
  }

  static std::string chunk(const std::string& delta, const std::string& finish = "null") {
    return R"(data: {"id":"chatcmpl-1","model":"gpt-x","choices":[{"index":0,"delta":)" + delta +
           R"(,"finish_reason":)" + finish + "}]}\n\n";
  }

  /// Text and two calls, then the finish reason, the usage and the end.
  static std::string streamed_calls() {
    return chunk(R"({"role":"assistant","content":null})") + ": keep-alive\n\n" +
           chunk(R"({"content":"I lo"})") + chunk(R"({"content":"ok ü."})") +
           chunk(
               R"({"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"q","arguments":"{"}}]})") +
           chunk(R"({"tool_calls":[{"index":0,"function":{"arguments":"\"a\":1}"}}]})") +
           chunk(
               R"({"tool_calls":[{"index":1,"id":"c2","type":"function","function":{"name":"r","arguments":""}}]})") +
           chunk("{}", "\"tool_calls\"") +
           R"(data: {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3}})" +
           "\n\ndata: [DONE]\n\n";
  }
};

}  // namespace ba::llm
