// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/llm/openai_chat_fixture.hpp"

namespace ba::llm {
namespace {

using OpenaiChatStreamTest = WithAnyServer<OpenaiChatFixture>;
INSTANTIATE_TEST_SUITE_P(Quirks, OpenaiChatStreamTest, ::testing::ValuesIn(every_quirk()),
                         quirk_name);

TEST_P(OpenaiChatStreamTest, ReadsAStreamHoweverItIsCut) {
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
TEST_P(OpenaiChatStreamTest, RefusesAStreamThatEndsAtAnyByteBeforeTheFinishReason) {
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

TEST_P(OpenaiChatStreamTest, TellsCallsApartThatShareANumber) {
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

TEST_P(OpenaiChatStreamTest, EndsWithoutDoneAndWithoutUsage) {
  const auto result = stream(chunk(R"({"content":"x"})") + chunk("{}", "\"stop\""));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->reply.message.text, "x");
  EXPECT_FALSE(result->usage_known);
  expect_malformed(stream(chunk(R"({"content":"x"})")), "ended before");
  expect_malformed(stream("data: [DONE]\n\n"), "ended before");
  expect_malformed(stream("data: {\"choices\":\n\n"), "not JSON");
}

TEST_P(OpenaiChatStreamTest, TakesWhatServersSayInManyWays) {
  const std::string text = chunk(R"({"content":"It is "})") + chunk(R"({"content":"42."})");
  const std::string usage = R"("usage":{"prompt_tokens":9,"completion_tokens":2})";
  const auto last = [&](const std::string& finish) {
    return R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":)" + finish + "}]," + usage +
           "}\n\n";
  };
  const std::string empty_first = R"(data: {"choices":[{"index":0,"delta":{"content":""},)"
                                  R"("finish_reason":""}]})"
                                  "\n\n";
  const std::vector<std::string> streams = {
      text + "data:\n\n" + last("\"stop\"") + "data: [DONE]\n\n",
      text + "data: \n\ndata: ping\n\ndata: null\n\n" + last("\"stop\""),
      empty_first + text + last("\"stop\"") + last("\"\"") + "data: [DONE]\n\n",
      text + last("\"\"") + "data: [DONE]\n\n", text + last("null") + "data: [done]\n\n",
      text + last("\"stop\"") + "data: OK\n\n", text + last("\"STOP\"") + "data: [Done]\n\n",
      // Groq, and Moonshot's usage within the choice.
      text + chunk("{}", "\"stop\"") + "data: {\"x_groq\":{" + usage + "}}\n\n",
      text + R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop",)" + usage +
          "}]}\n\n",
      text + last("\"stop\"") +
          "data: {\"usage\":{\"prompt_tokens\":0,\"completion_tokens\":0}}\n\n"};
  for (const std::string& bytes : streams) {
    const auto result = stream(bytes);
    ASSERT_TRUE(result) << bytes << result.error().message;
    EXPECT_EQ(result->reply.message.text, "It is 42.") << bytes;
    EXPECT_EQ(result->reply.stop, StopReason::EndTurn) << bytes;
    EXPECT_EQ(result->reply.message.usage, (Usage{9, 0, 0, 2, 0})) << bytes;
    EXPECT_TRUE(result->usage_known);
  }
}

TEST_P(OpenaiChatStreamTest, TakesArgumentsThatComeBehindAPlaceholder) {
  const auto arguments = [&](const std::vector<std::string>& pieces) {
    std::string bytes;
    for (const std::string& piece : pieces)
      bytes += chunk(R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"q","arguments":)" +
                     piece + "}}]}");
    return stream(bytes + chunk("{}", "\"tool_calls\""))->reply.message.tool_calls.at(0);
  };
  EXPECT_EQ(arguments({R"("{}")", R"("{\"a\":")", R"("1}")"}).args_json, R"({"a":1})");
  EXPECT_EQ(arguments({"{}", R"("{\"a\":1}")"}).args_json, R"({"a":1})");
  EXPECT_EQ(arguments({R"("{}")", R"("")"}).args_json, "{}");
  EXPECT_EQ(arguments({R"("{}")", "null", R"(" ")"}).args_json, "{} ");
  EXPECT_FALSE(arguments({R"("{\"a\":1}")", R"("{\"a\":1}")"}).valid());
}

/// OpenRouter's reasoning, of which the signature comes last.
TEST_P(OpenaiChatStreamTest, PutsListsTogetherThatComeInPieces) {
  const auto piece = [](const std::string& members) {
    return chunk(R"({"reasoning_details":[{"type":"reasoning.text",)" + members +
                 R"(,"format":"anthropic-claude-v1","index":0}]})");
  };
  const auto result = stream(
      piece(R"("text":"First I look")") + piece(R"("text":" at the table.")") +
      chunk(R"({"reasoning_details":[{"type":"reasoning.encrypted","data":"zz","index":1}]})") +
      piece(R"("signature":"U0lHLTE=")") + chunk(R"({"odd":[1]})") + chunk(R"({"odd":[2]})") +
      chunk(R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"q","arguments":"{}"}}]})",
            "\"tool_calls\""));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(nlohmann::json::parse(result->reply.message.extra->json), nlohmann::json::parse(R"({
    "reasoning_details": [
      {"type": "reasoning.text", "text": "First I look at the table.", "signature": "U0lHLTE=",
       "format": "anthropic-claude-v1", "index": 0},
      {"type": "reasoning.encrypted", "data": "zz", "index": 1}],
    "odd": [2]})"));
}

TEST_P(OpenaiChatStreamTest, ReportsAnErrorInsideAStreamOrABodyOf200) {
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

TEST_P(OpenaiChatStreamTest, KeepsTheNumbersOfAContextThatGotFullInsideAStream) {
  const auto result = stream(
      chunk(R"({"role":"assistant","reasoning_content":"Hm."})") +
      "data: {\"error\":{\"code\":400,\"message\":\"This model's maximum context length is 8192 "
      "tokens. However, you requested 9120 tokens\",\"type\":\"invalid_request_error\"}}\n\n");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reply.stop, StopReason::ContextExceeded);
  EXPECT_FALSE(result->reply.refused);
  EXPECT_EQ(result->reply.told, (ContextRefusal{8'192, 9'120, true}));
}

}  // namespace
}  // namespace ba::llm
