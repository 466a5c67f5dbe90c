// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/llm/openai_responses_fixture.hpp"
#include "worker/llm/reply_draft.hpp"

namespace ba::llm {
namespace {

using nlohmann::json;

using OpenaiResponsesReply = WithAnyServer<OpenaiResponsesFixture>;
INSTANTIATE_TEST_SUITE_P(Quirks, OpenaiResponsesReply, ::testing::ValuesIn(every_quirk()),
                         quirk_name);

TEST_P(OpenaiResponsesReply, ReadsAnAnswerAndSplitsItsUsage) {
  const auto result = read(response(message("Hello"), "completed",
                                    R"("error":null,"incomplete_details":null,"usage":{
    "input_tokens":100,"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},
    "output_tokens":20,"output_tokens_details":{"reasoning_tokens":8},"total_tokens":120})"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reply.message.text, "Hello");
  EXPECT_EQ(result->reply.stop, StopReason::EndTurn);
  EXPECT_EQ(result->reply.raw_stop, "completed");
  EXPECT_EQ(result->reply.model, "gpt-x");
  EXPECT_EQ(result->reply.provider_request_id, "resp_1");
  EXPECT_EQ(result->reply.message.usage, (Usage{30, 60, 10, 20, 8}));
  EXPECT_TRUE(result->usage_known);
  EXPECT_FALSE(result->reply.message.extra) << "the neutral message says it all";
  EXPECT_FALSE(read(response(message("x"), "completed", R"("usage":null)"))->usage_known);
}

TEST_P(OpenaiResponsesReply, ReadsCallsByTheirCallIds) {
  const auto result = read(response(message("I look.") + "," + call("c1", R"("{\"a\": 1}")") + "," +
                                    call("c2", "\"\"")));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reply.stop, StopReason::ToolUse);
  ASSERT_EQ(result->reply.message.tool_calls.size(), 2U);
  const ToolCall& first = result->reply.message.tool_calls[0];
  EXPECT_EQ(first.id.value, "c1");
  EXPECT_EQ(first.name, "q");
  EXPECT_EQ(first.args_json, R"({"a": 1})");
  EXPECT_EQ(result->reply.message.tool_calls[1].args_json, "{}");
  EXPECT_FALSE(result->reply.message.extra);
}

TEST_P(OpenaiResponsesReply, LetsTheModelReadWhatWasWrongWithItsArguments) {
  for (const char* unreadable : {R"("{\"sql\": \"SELECT")", R"("[1]")", R"("{\"n\": 1e4000}")",
                                 R"("{\"n\": \"\\u0000\"}")", "[1]", "7"}) {
    const auto result = read(response(call("c1", unreadable)));
    ASSERT_TRUE(result) << unreadable;
    EXPECT_FALSE(result->reply.message.tool_calls[0].valid()) << unreadable;
    EXPECT_EQ(result->reply.message.tool_calls[0].args_json, "{}") << unreadable;
  }
  EXPECT_EQ(read(response(call("c1", R"({"a" : 1})")))->reply.message.tool_calls[0].args_json,
            R"({"a" : 1})");
  limits_.tool_args_bytes_max = 10;
  const auto lengthy = read(response(call("c1", R"("{\"sql\":\"SELECT 1\"}")")));
  ASSERT_TRUE(lengthy);
  EXPECT_FALSE(lengthy->reply.message.tool_calls[0].valid());
}

TEST_P(OpenaiResponsesReply, MapsHowAResponseEnds) {
  EXPECT_EQ(read(incomplete(message("x"), "max_output_tokens"))->reply.stop, StopReason::MaxTokens);
  EXPECT_EQ(read(incomplete(message("x"), "max_output_tokens"))->reply.raw_stop,
            "max_output_tokens");
  EXPECT_EQ(read(incomplete(message("x"), "content_filter"))->reply.stop, StopReason::Refusal);
  expect_malformed(read(incomplete(message("x"), "tired")), "tired");
  EXPECT_EQ(read(incomplete(call("c", "\"{\""), "max_output_tokens"))->reply.stop,
            StopReason::MaxTokens);
  EXPECT_EQ(read(incomplete("", "max_output_tokens"))->reply.stop, StopReason::MaxTokens);
  expect_malformed(read(incomplete(call("c", "\"{}\""), "tired")), "tired");
  const auto refused = read(response(refusal("I can't.")));
  EXPECT_EQ(refused->reply.stop, StopReason::Refusal);
  EXPECT_EQ(refused->reply.message.text, "I can't.");
  for (const char* status : {"in_progress", "queued", "cancelled", ""})
    expect_malformed(read(response(message("x"), status)), std::string("'") + status + "'");
}

/// llama.cpp says "completed" in any case.
TEST_P(OpenaiResponsesReply, SeesAtCompatibleServersThatTheLimitCutAReply) {
  const auto stop = [&](std::int64_t limit, const std::string& items) {
    const ProtocolContext context{provider_, model_, limits_, {}, limit};
    return protocol().read_reply(response(items), context)->reply.stop;  // 5 tokens
  };
  const bool own = provider_.quirks == LlmQuirks::None;
  EXPECT_EQ(stop(5, message("And so")), own ? StopReason::EndTurn : StopReason::MaxTokens);
  EXPECT_EQ(stop(5, call("c", "\"{\"")), own ? StopReason::ToolUse : StopReason::MaxTokens);
  EXPECT_EQ(stop(6, message("Whole.")), StopReason::EndTurn);
  EXPECT_EQ(stop(0, message("Whole.")), StopReason::EndTurn);
  EXPECT_EQ(stop(5, refusal("No.")), StopReason::Refusal);
}

TEST_P(OpenaiResponsesReply, NeverInventsAnId) {
  expect_malformed(
      read(response(R"({"id":"fc_1","type":"function_call","name":"q","arguments":"{}"})")),
      "no id");
  expect_malformed(read(response(R"({"type":"function_call","call_id":"c","arguments":"{}"})")),
                   "no name");
  expect_malformed(read(response(call("c", "\"{}\"") + "," + call("c", "\"{}\""))), "two tool");
}

TEST_P(OpenaiResponsesReply, RefusesMalformedReplies) {
  limits_.tool_calls_max = 1;
  expect_malformed(read(response(call("a", "\"\"") + "," + call("b", "\"\""))), "tool_calls_max");
  expect_malformed(read(R"({"status":"completed","output":"text"})"), "output");
  expect_malformed(read(R"({"status":"completed"})"), "output");
  expect_malformed(read(response("7")), "not an object");
  expect_malformed(read(response("null")), "not an object");
  expect_malformed(read("null"), "output");
  expect_malformed(read("[]"), "output");
  expect_malformed(read(""), "empty");
  expect_malformed(read("<!doctype html>"), "HTML");
  limits_.reply_bytes_max = 3;
  expect_too_long(read(response(message("four"))));
}

TEST_P(OpenaiResponsesReply, KeepsReasoningUntouchedForTheWayBack) {
  const std::string first = reasoning("rs_1", "Two tables.");
  const std::string second = call("c1", R"("{\"sql\": \"SELECT 1\"}")");
  const auto result = read(response(first + ", " + second));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reply.message.thinking, "Two tables.");
  ASSERT_TRUE(result->reply.message.extra);
  EXPECT_EQ(result->reply.message.extra->provider, "openai_responses/p");
  EXPECT_EQ(result->reply.message.extra->json, "[" + first + "," + second + "]");
  const auto shown = read(response(R"({"type":"reasoning","id":"rs_1","summary":[],"content":[)"
                                   R"({"type":"reasoning_text","text":"Hm."}]},)" +
                                   message("x")));
  EXPECT_EQ(shown->reply.message.thinking, "Hm.");
}

TEST_P(OpenaiResponsesReply, KeepsWhatTheNeutralMessageCannotSay) {
  const auto kept = [&](const std::string& items) {
    const auto result = read(response(items));
    EXPECT_TRUE(result) << items;
    return result && result->reply.message.extra.has_value();
  };
  EXPECT_FALSE(kept(message("x")));
  EXPECT_TRUE(kept(R"({"type":"message","role":"assistant","phase":"commentary","content":[]})"));
  EXPECT_TRUE(kept(R"({"type":"message","role":"assistant","content":[{"type":"output_text",)"
                   R"("text":"x","annotations":[{"type":"url_citation"}]}]})"));
  EXPECT_TRUE(kept(call("c", "\"{}\"") + "," + message("x"))) << "the order";
  EXPECT_TRUE(kept(message("x") + "," + message("y")));
  EXPECT_TRUE(kept(R"({"type":"something_new","a":1})"));
  EXPECT_EQ(read(response(message("x") + "," + message("y")))->reply.message.text, "x\n\ny");
}

TEST_P(OpenaiResponsesReply, ReplacesOnlyTheArgumentsThatWereInvalid) {
  const auto result =
      read(response(reasoning("rs_1") + "," + call("c1", R"("{\"sql\": \"SELECT")")));
  ASSERT_TRUE(result->reply.message.extra);
  const json items = json::parse(result->reply.message.extra->json);
  EXPECT_EQ(items[0], json::parse(reasoning("rs_1")));
  EXPECT_EQ(items[1], json::parse(call("c1", "\"{}\"")));
}

TEST_P(OpenaiResponsesReply, ReportsAFailedResponse) {
  const auto failed = [&](const std::string& error) {
    return read(response("", "failed", R"("error":)" + error));
  };
  const auto limited = failed(R"({"code":"rate_limit_exceeded","message":"slow down"})");
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().code, ErrorCode::RateLimited);
  EXPECT_TRUE(limited.error().maybe_done);
  EXPECT_NE(limited.error().message.find("slow down"), std::string::npos);
  EXPECT_EQ(failed(R"({"code":"server_error","message":"m"})").error().retry, Retry::Later);
  EXPECT_EQ(failed(R"({"code":"server_is_overloaded","message":"m"})").error().code,
            ErrorCode::Overloaded);
  EXPECT_EQ(failed(R"({"code":"invalid_prompt","message":"m"})").error().retry, Retry::Never);
  EXPECT_EQ(failed(R"({"code":"insufficient_quota","message":"m"})").error().retry, Retry::Never);
  EXPECT_EQ(failed("null").error().code, ErrorCode::Unavailable);
  const auto lengthy = failed(R"({"code":"context_length_exceeded","message":"too long"})");
  ASSERT_TRUE(lengthy);
  EXPECT_EQ(lengthy->reply.stop, StopReason::ContextExceeded);
  EXPECT_EQ(read(R"({"error":{"code":429,"message":"slow"}})").error().code,
            ErrorCode::RateLimited);
}

TEST_P(OpenaiResponsesReply, ReadsFailuresBeforeAReply) {
  const auto fail = [&](int status, const std::string& body) {
    return read_failure(status, body, context());
  };
  const auto exceeded = fail(
      400,
      R"({"error":{"message":"m","type":"invalid_request_error","code":"context_length_exceeded"}})");
  ASSERT_TRUE(exceeded);
  EXPECT_EQ(exceeded->reply.stop, StopReason::ContextExceeded);
  EXPECT_EQ(fail(404, R"({"detail":"Not Found"})").error().code, ErrorCode::NotFound);
  EXPECT_EQ(fail(401, R"({"error":{"message":"m","code":"invalid_api_key"}})").error().code,
            ErrorCode::Authentication);
}

/// Each of them looked up among all before it would take minutes.
TEST_F(OpenaiResponsesFixture, ReadsAsManyItemsAsAReplyHolds) {
  std::string items = message("x");
  for (int i = 0; i < 50'000; ++i) items += R"(,{"type":"new"})";
  ASSERT_TRUE(read(response(items)));
  std::string calls = call("a", "\"\"");
  for (int i = 1; i < 20'000; ++i) calls += "," + call("a" + std::to_string(i), "\"\"");
  expect_malformed(read(response(calls)), "20000 tool calls");
}

}  // namespace
}  // namespace ba::llm
