// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/llm/openai_chat_fixture.hpp"
#include "worker/llm/reply_draft.hpp"

namespace ba::llm {
namespace {

using nlohmann::json;

using OpenaiChatReply = WithAnyServer<OpenaiChatFixture>;
INSTANTIATE_TEST_SUITE_P(Quirks, OpenaiChatReply, ::testing::ValuesIn(every_quirk()), quirk_name);

TEST_P(OpenaiChatReply, ReadsAnAnswerAndSplitsItsUsage) {
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

TEST_P(OpenaiChatReply, TakesArgumentsInEveryForm) {
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
       {R"("{\"n\": 1e4000}")", R"("{\"n\": \"\\ud800\"}")", R"("{\"n\": \"\\u0000\"}")"}) {
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

TEST_P(OpenaiChatReply, MapsFinishReasons) {
  const std::string text = R"({"content":"x"})";
  const std::string calls = with_calls(call("c1", "\"{}\""));
  EXPECT_EQ(read(completion(text, "length"))->reply.stop, StopReason::MaxTokens);
  EXPECT_EQ(read(completion(text, "content_filter"))->reply.stop, StopReason::Refusal);
  expect_malformed(read(completion(text, "function_call")), "no call");
  EXPECT_EQ(read(completion(calls, "length"))->reply.stop, StopReason::MaxTokens);
  EXPECT_EQ(read(completion(calls, "stop"))->reply.stop, StopReason::ToolUse);
  EXPECT_EQ(read(completion(calls, "function_call"))->reply.stop, StopReason::ToolUse);
  expect_malformed(read(completion(text, "tool_calls")), "no call");
  const auto refused = read(completion(R"({"content":null,"refusal":"I can't."})", "stop"));
  EXPECT_EQ(refused->reply.stop, StopReason::Refusal);
  EXPECT_EQ(refused->reply.message.text, "I can't.");
}

TEST_P(OpenaiChatReply, NeverInventsAnId) {
  expect_malformed(
      read(completion(with_calls(R"({"type":"function","function":{"name":"q","arguments":"{}"}})"),
                      "tool_calls")),
      "no id");
  expect_malformed(read(completion(with_calls(call("", "\"{}\"")), "tool_calls")), "no id");
  expect_malformed(
      read(completion(with_calls(R"({"id":"c","function":{"arguments":"{}"}})"), "tool_calls")),
      "no name");
}

TEST_P(OpenaiChatReply, RefusesMalformedReplies) {
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
  expect_too_long(read(completion(R"({"content":"four"})", "stop")));
}

TEST_P(OpenaiChatReply, ReadsReasoningUnderBothNames) {
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

TEST_P(OpenaiChatReply, KeepsForeignMembersForTheWayBack) {
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
  provider_.quirks = LlmQuirks::None;  // Mistral takes none of it back
  auto request = TestRequest().human("q").ai(result->reply.message).tool("a", "1").tool("b", "2");
  const json sent = written(request)["messages"][2];
  EXPECT_EQ(sent["tool_calls"][1]["extra_content"]["sig"], "z");
  EXPECT_EQ(sent["reasoning_details"], json::parse(R"([{"s":1}])"));
  provider_.name = "another";  // of the same protocol: what the first one sent is not for it
  EXPECT_FALSE(written(request)["messages"][2].contains("reasoning_details"));
}

TEST_P(OpenaiChatReply, ReadsContentParts) {
  EXPECT_EQ(
      read(completion(R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})",
                      "stop"))
          ->reply.message.text,
      "ab");
}

TEST_P(OpenaiChatReply, ReadsTheFailuresOfEveryServer) {
  const auto fail = [&](int status, const std::string& body) {
    return read_failure(status, body, context());
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
  for (
      const char* message :
      {"The decoder prompt (length 8357) is longer than the maximum model length of 8192.",
       "prompt too long; exceeded max context length by 4 tokens",
       R"({\"error\":{\"code\":400,\"message\":\"request (351 tokens) exceeds the available context size (256 tokens)\"}})"})
    EXPECT_EQ(fail(400, R"({"error":{"message":")" + std::string(message) + "\"}}")->reply.stop,
              StopReason::ContextExceeded)
        << message;
  EXPECT_EQ(
      fail(503, R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})")
          .error()
          .retry,
      Retry::Later);
  EXPECT_EQ(fail(404, R"({"error":"model 'x' not found"})").error().message,
            "HTTP 404: model 'x' not found");
  EXPECT_EQ(fail(400, R"({"object":"error","message":"bad","type":"BadRequestError","code":400})")
                .error()
                .message,
            "HTTP 400 BadRequestError: bad");
}

/// Each of them looked up among all before it would take minutes.
TEST_F(OpenaiChatFixture, ReadsAsManyMembersAndCallsAsAReplyHolds) {
  std::string members = R"({"content":"x")";
  for (int i = 0; i < 200'000; ++i) members += ",\"k" + std::to_string(i) + "\":1";
  const auto wide = read(completion(members + "}", "stop"));
  ASSERT_TRUE(wide);
  EXPECT_NE(wide->reply.message.extra->json.find(R"("k199999":1)"), std::string::npos);
  std::string calls = call("a", "\"\"");
  for (int i = 1; i < 50'000; ++i) calls += "," + call("a" + std::to_string(i), "\"\"");
  expect_malformed(read(completion(with_calls(calls), "tool_calls")), "50000 tool calls");
}

}  // namespace
}  // namespace ba::llm
