// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/llm/protocol_fixture.hpp"

namespace ba {
namespace {

using nlohmann::json;

class OpenaiChatReply : public ProtocolFixture {
 protected:
  OpenaiChatReply() : ProtocolFixture(LlmProtocol::OpenaiChat) {}

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

TEST_F(OpenaiChatReply, ReadsAnAnswerAndSplitsItsUsage) {
  const auto result = read(completion(R"({"role":"assistant","content":"Hello","refusal":null})",
                                      "stop", R"({"prompt_tokens":100,"completion_tokens":20,
    "total_tokens":120,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},
    "completion_tokens_details":{"reasoning_tokens":8}})"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->reply.message.text, "Hello");
  EXPECT_EQ(result->reply.stop, StopReason::EndTurn);
  EXPECT_EQ(result->reply.raw_stop, "stop");
  EXPECT_EQ(result->reply.model, "gpt-x");
  EXPECT_EQ(result->reply.provider_request_id, "chatcmpl-1");
  EXPECT_EQ(result->reply.message.usage, (Usage{30, 60, 10, 20, 8}));
  EXPECT_TRUE(result->usage_known);
}

/// As llama.cpp sends it: content "", arguments as text, the id last.
TEST_F(OpenaiChatReply, ReadsACallOfLlamaCpp) {
  const auto result = read(
      R"({"choices":[{"finish_reason":"tool_calls","index":0,"message":{"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"query_database","arguments":"{\"sql\": \"SELECT COUNT(*) FROM flights\"}"},"id":"nSRDLziChbo0A5IkAMMmli9KVnq3IuOa"}]}}],)"
      R"("model":"smollm2-135m","object":"chat.completion","usage":{"completion_tokens":37,"prompt_tokens":158,"total_tokens":195,"prompt_tokens_details":{"cached_tokens":0}},"id":"chatcmpl-Y","timings":{"cache_n":0,"prompt_n":158,"predicted_n":37}})");
  ASSERT_TRUE(result) << result.error().message;
  const ModelReply& reply = result->reply;
  EXPECT_EQ(reply.stop, StopReason::ToolUse);
  ASSERT_EQ(reply.message.tool_calls.size(), 1U);
  EXPECT_EQ(reply.message.tool_calls[0].id.value, "nSRDLziChbo0A5IkAMMmli9KVnq3IuOa");
  EXPECT_EQ(reply.message.tool_calls[0].args_json, R"({"sql": "SELECT COUNT(*) FROM flights"})");
  EXPECT_EQ(reply.message.usage, (Usage{158, 0, 0, 37, 0}));
}

TEST_F(OpenaiChatReply, TakesArgumentsInEveryForm) {
  const std::vector<std::pair<std::string, std::string>> rows = {{R"("{\"a\": 1}")", R"({"a": 1})"},
                                                                 {R"({"a" : 1})", R"({"a" : 1})"},
                                                                 {R"("")", "{}"},
                                                                 {R"(" \n")", "{}"},
                                                                 {"null", "{}"},
                                                                 {R"("null")", "{}"}};
  for (const auto& [sent, kept] : rows) {
    const auto result = read(completion(with_calls(call("c1", sent)), "tool_calls"));
    ASSERT_TRUE(result) << sent;
    EXPECT_EQ(result->reply.message.tool_calls[0].args_json, kept);
    EXPECT_TRUE(result->reply.message.tool_calls[0].valid());
  }
  for (const char* unreadable :
       {R"("{\"n\": 1e400}")", R"("{\"n\": \"\\ud800\"}")", R"("{\"n\": \"\\u0000\"}")"}) {
    const auto result = read(completion(with_calls(call("c1", unreadable)), "tool_calls"));
    ASSERT_TRUE(result) << unreadable;
    EXPECT_FALSE(result->reply.message.tool_calls[0].valid()) << unreadable;
    EXPECT_EQ(result->reply.message.tool_calls[0].args_json, "{}") << unreadable;
  }
  const auto broken =
      read(completion(with_calls(call("c1", R"("{\"sql\": \"SELECT")")), "tool_calls"));
  EXPECT_EQ(broken->reply.message.tool_calls[0].invalid_args, "{\"sql\": \"SELECT");
  EXPECT_NE(broken->reply.message.tool_calls[0].args_error.find("ends within a string at byte 15"),
            std::string::npos)
      << broken->reply.message.tool_calls[0].args_error;
  const auto list = read(completion(with_calls(call("c1", R"("[1]")")), "tool_calls"));
  EXPECT_FALSE(list->reply.message.tool_calls[0].valid());
}

TEST_F(OpenaiChatReply, MapsFinishReasons) {
  const std::string text = R"({"content":"x"})";
  const std::string calls = with_calls(call("c1", "\"{}\""));
  EXPECT_EQ(read(completion(text, "length"))->reply.stop, StopReason::MaxTokens);
  EXPECT_EQ(read(completion(text, "content_filter"))->reply.stop, StopReason::Refusal);
  EXPECT_EQ(read(completion(text, "function_call"))->reply.stop, StopReason::Other);
  EXPECT_EQ(read(completion(calls, "length"))->reply.stop, StopReason::MaxTokens);
  EXPECT_EQ(read(completion(calls, "stop"))->reply.stop, StopReason::ToolUse);
  expect_malformed(read(completion(calls, "function_call")), "function_call");
  expect_malformed(read(completion(text, "tool_calls")), "no call");
  const auto refused = read(completion(R"({"content":null,"refusal":"I can't."})", "stop"));
  EXPECT_EQ(refused->reply.stop, StopReason::Refusal);
  EXPECT_EQ(refused->reply.message.text, "I can't.");
}

TEST_F(OpenaiChatReply, NeverInventsAnId) {
  expect_malformed(
      read(completion(with_calls(R"({"type":"function","function":{"name":"q","arguments":"{}"}})"),
                      "tool_calls")),
      "no id");
  expect_malformed(read(completion(with_calls(call("", "\"{}\"")), "tool_calls")), "no id");
  expect_malformed(
      read(completion(with_calls(R"({"id":"c","function":{"arguments":"{}"}})"), "tool_calls")),
      "no name");
}

TEST_F(OpenaiChatReply, RefusesMalformedReplies) {
  limits_.tool_calls_max = 1;
  expect_malformed(
      read(completion(with_calls(call("a", "\"\"") + "," + call("b", "\"\"")), "tool_calls")),
      "tool_calls_max");
  limits_.tool_calls_max = 2;
  expect_malformed(read(R"({"choices":[]})"), "choices[0].message");
  expect_malformed(read(R"({"choices":[{"finish_reason":"stop"}]})"), "choices[0].message");
  expect_malformed(read("null"), "choices[0].message");
  expect_malformed(read("<!doctype html>"), "HTML");
  limits_.reply_bytes_max = 3;
  expect_malformed(read(completion(R"({"content":"four"})", "stop")), "reply_bytes_max");
}

TEST_F(OpenaiChatReply, ReadsReasoningUnderBothNames) {
  EXPECT_EQ(read(completion(R"({"content":"x","reasoning_content":"hm"})", "stop"))
                ->reply.message.thinking,
            "hm");
  const auto both =
      read(completion(R"({"content":"x","reasoning":"hm","reasoning_content":"hm"})", "stop"));
  EXPECT_EQ(both->reply.message.thinking, "hm");
  EXPECT_FALSE(both->reply.message.extra);
  provider_.resend_reasoning = true;
  const auto kept = read(completion(R"({"content":"x","reasoning_content":"hm"})", "stop"));
  ASSERT_TRUE(kept->reply.message.extra);
  EXPECT_EQ(kept->reply.message.extra->json, R"({"reasoning_content":"hm"})");
}

TEST_F(OpenaiChatReply, KeepsForeignMembersForTheWayBack) {
  const auto result = read(completion(
      R"({"role":"assistant","content":null,"reasoning_details":[{"s":1}],"tool_calls":[)" +
          call("a", "\"{}\"") +
          R"(,{"id":"b","type":"function","function":{"name":"q","arguments":"{}"},"extra_content":{"sig":"z"}}]})",
      "tool_calls"));
  ASSERT_TRUE(result);
  ASSERT_TRUE(result->reply.message.extra);
  EXPECT_EQ(json::parse(result->reply.message.extra->json),
            json::parse(R"({"reasoning_details":[{"s":1}],
                            "tool_calls":[{},{"extra_content":{"sig":"z"}}]})"));
  auto request = TestRequest().human("q").ai(result->reply.message).tool("a", "1").tool("b", "2");
  const json sent = written(request)["messages"][2];
  EXPECT_EQ(sent["tool_calls"][1]["extra_content"]["sig"], "z");
  EXPECT_EQ(sent["reasoning_details"], json::parse(R"([{"s":1}])"));
  provider_.name = "another";  // of the same protocol: what the first one sent is not for it
  EXPECT_FALSE(written(request)["messages"][2].contains("reasoning_details"));
}

TEST_F(OpenaiChatReply, TakesALeadingThinkBlockOutOfTheAnswerWhereItIsToldTo) {
  const std::string text =
      R"({"content":"\n<think>\nSum up.\n</think>\n\nIt is <think>4</think>."})";
  EXPECT_EQ(read(completion(text, "stop"))->reply.message.thinking, "");
  model_.strip_think = true;
  const auto whole = read(completion(text, "stop"));
  EXPECT_EQ(whole->reply.message.text, "It is <think>4</think>.");
  EXPECT_EQ(whole->reply.message.thinking, "Sum up.");
  const auto streamed = stream(chunk(R"({"content":"<thi"})") + chunk(R"({"content":"nk>Sum"})") +
                               chunk(R"({"content":" up.</th"})") +
                               chunk(R"({"content":"ink>It is 4."})", "\"stop\""));
  EXPECT_EQ(streamed->reply.message.text, "It is 4.");
  EXPECT_EQ(streamed->reply.message.thinking, "Sum up.");
  const auto both =
      read(completion(R"({"content":"<think>b</think>x","reasoning_content":"a"})", "stop"));
  EXPECT_EQ(both->reply.message.thinking, "a\n\nb");
  for (const char* other :
       {"", "x <think>y</think>", "<thinking>y</thinking>", "</think>x", "<think"})
    EXPECT_EQ(read(completion(R"({"content":")" + std::string(other) + "\"}", "stop"))
                  ->reply.message.text,
              other);
}

TEST_F(OpenaiChatReply, TakesNoAnswerFromAThinkBlockWithoutEnd) {
  model_.strip_think = true;
  const std::string open = R"({"content":"<think>Let me see")";
  expect_malformed(read(completion(open + "}", "stop")), "inside its <think> block");
  const auto cut = read(completion(open + "}", "length"));
  EXPECT_EQ(cut->reply.stop, StopReason::MaxTokens);
  EXPECT_EQ(cut->reply.message.text, "");
  EXPECT_EQ(cut->reply.message.thinking, "Let me see");
  const auto called =
      read(completion(open + R"(,"tool_calls":[)" + call("c1", "\"{}\"") + "]}", "tool_calls"));
  EXPECT_EQ(called->reply.stop, StopReason::ToolUse);
  EXPECT_EQ(called->reply.message.text, "");
}

TEST_F(OpenaiChatReply, ReadsContentParts) {
  EXPECT_EQ(
      read(completion(R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})",
                      "stop"))
          ->reply.message.text,
      "ab");
}

TEST_F(OpenaiChatReply, ReadsAStreamHoweverItIsCut) {
  const std::string bytes = streamed_calls();
  for (std::size_t piece = 1; piece < 50; ++piece) {
    const auto result = stream(bytes, piece);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->reply.message.text, "I look ü.");
    ASSERT_EQ(result->reply.message.tool_calls.size(), 2U);
    EXPECT_EQ(result->reply.message.tool_calls[0].args_json, R"({"a":1})");
    EXPECT_EQ(result->reply.message.tool_calls[1].name, "r");
    EXPECT_EQ(result->reply.message.tool_calls[1].args_json, "{}");
    EXPECT_EQ(result->reply.message.usage, (Usage{12, 0, 0, 3, 0}));
    EXPECT_EQ(result->reply.stop, StopReason::ToolUse);
  }
}

/// The usage and `[DONE]` are not part of the reply: servers leave them out.
TEST_F(OpenaiChatReply, RefusesAStreamThatEndsAtAnyByteBeforeTheFinishReason) {
  const std::string bytes = streamed_calls();
  const std::size_t whole = bytes.find("\n\n", bytes.find(R"("finish_reason":"tool_calls")")) + 2;
  for (std::size_t size = 0; size < whole; ++size)
    expect_malformed(stream(bytes.substr(0, size)), "ended before");
  for (std::size_t size = whole; size <= bytes.size(); ++size) {
    const auto result = stream(bytes.substr(0, size));
    ASSERT_TRUE(result) << size;
    EXPECT_EQ(result->reply.message.tool_calls.size(), 2U) << size;
    EXPECT_EQ(result->usage_known, size >= bytes.find("data: [DONE]")) << size;
  }
}

TEST_F(OpenaiChatReply, TellsCallsApartThatShareANumber) {
  const auto result = stream(
      chunk(R"({"tool_calls":[{"index":0,"id":"c1","function":{"name":"q","arguments":"{}"}}]})") +
      chunk(
          R"({"tool_calls":[{"index":0,"id":"c2","function":{"name":"q","arguments":"{\"b\""}}]})") +
      chunk(R"({"tool_calls":[{"index":0,"function":{"arguments":":2}"}}]})", "\"tool_calls\""));
  ASSERT_TRUE(result);
  ASSERT_EQ(result->reply.message.tool_calls.size(), 2U);
  EXPECT_EQ(result->reply.message.tool_calls[0].args_json, "{}");
  EXPECT_EQ(result->reply.message.tool_calls[1].args_json, R"({"b":2})");
}

/// Each of them looked up among all before it would take minutes.
TEST_F(OpenaiChatReply, ReadsAsManyMembersAndCallsAsAReplyHolds) {
  std::string members = R"({"content":"x")";
  for (int i = 0; i < 200'000; ++i) members += ",\"k" + std::to_string(i) + "\":1";
  const auto wide = read(completion(members + "}", "stop"));
  ASSERT_TRUE(wide);
  EXPECT_NE(wide->reply.message.extra->json.find(R"("k199999":1)"), std::string::npos);
  std::string calls = call("a", "\"\"");
  for (int i = 1; i < 50'000; ++i) calls += "," + call("a" + std::to_string(i), "\"\"");
  expect_malformed(read(completion(with_calls(calls), "tool_calls")), "50000 tool calls");
}

TEST_F(OpenaiChatReply, EndsWithoutDoneAndWithoutUsage) {
  const auto result = stream(chunk(R"({"content":"x"})") + chunk("{}", "\"stop\""));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->reply.message.text, "x");
  EXPECT_FALSE(result->usage_known);
  expect_malformed(stream(chunk(R"({"content":"x"})")), "ended before");
  expect_malformed(stream(chunk(R"({"content":"x"})") + "data: [DONE]\n\n"), "ended before");
  expect_malformed(stream("data: {\"choices\":\n\n"), "not JSON");
}

TEST_F(OpenaiChatReply, ReportsAnErrorInsideAStreamOrABodyOf200) {
  const auto result =
      stream(chunk(R"({"content":"x"})") +
             "data: {\"error\":{\"code\":503,\"message\":\"busy\",\"type\":\"x\"}}\n\n");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::Unavailable);
  EXPECT_TRUE(result.error().maybe_done);
  const auto typed = stream(
      "data: {\"error\":{\"code\":null,\"message\":\"m\",\"type\":\"insufficient_quota\"}}\n\n");
  EXPECT_EQ(typed.error().retry, Retry::Never);
  EXPECT_EQ(read(R"({"error":{"code":429,"message":"slow"}})").error().code,
            ErrorCode::RateLimited);
}

TEST_F(OpenaiChatReply, ReadsTheFailuresOfItsServers) {
  const auto fail = [&](int status, const std::string& body) {
    return protocol().read_failure(status, body, context());
  };
  const auto exceeded = fail(
      400,
      R"({"error":{"code":400,"message":"request (722 tokens) exceeds the available context size (512 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":722,"n_ctx":512}})");
  ASSERT_TRUE(exceeded);
  EXPECT_EQ(exceeded->reply.stop, StopReason::ContextExceeded);
  EXPECT_EQ(exceeded->reply.raw_stop, "exceed_context_size_error");
  EXPECT_EQ(
      fail(
          400,
          R"({"error":{"message":"m","type":"invalid_request_error","code":"context_length_exceeded"}})")
          ->reply.raw_stop,
      "context_length_exceeded");
  EXPECT_EQ(
      fail(
          400,
          R"({"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400})")
          ->reply.stop,
      StopReason::ContextExceeded);
  EXPECT_EQ(
      fail(429,
           R"({"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}})")
          .error()
          .retry,
      Retry::Never);
  EXPECT_EQ(fail(429, R"({"error":{"message":"m","type":"requests","code":"rate_limit_exceeded"}})")
                .error()
                .code,
            ErrorCode::RateLimited);
  EXPECT_EQ(fail(404, R"({"error":"model 'x' not found"})").error().message,
            "HTTP 404: model 'x' not found");
  EXPECT_EQ(fail(400, R"({"object":"error","message":"bad","type":"BadRequestError","code":400})")
                .error()
                .message,
            "HTTP 400 BadRequestError: bad");
  const std::string unreadable =
      R"({"error":{"code":500,"message":"The model produced output that does not match the expected peg-native format","type":"server_error"}})";
  EXPECT_EQ(fail(500, unreadable).error().code, ErrorCode::Unavailable);
  provider_.quirks = LlmQuirks::LlamaCpp;
  expect_malformed(fail(500, unreadable), "peg-native");
}

}  // namespace
}  // namespace ba
