// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/llm/openai_responses_fixture.hpp"

namespace ba::llm {
namespace {

using OpenaiResponsesStreamTest = WithAnyServer<OpenaiResponsesFixture>;
INSTANTIATE_TEST_SUITE_P(Quirks, OpenaiResponsesStreamTest, ::testing::ValuesIn(every_quirk()),
                         quirk_name);

TEST_P(OpenaiResponsesStreamTest, ReadsAStreamHoweverItIsCut) {
  const std::string bytes = streamed_calls();
  for (std::size_t piece = 1; piece < 50; ++piece) {
    const auto result = stream(bytes, piece);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->reply.message.text, "I look.");
    EXPECT_EQ(result->reply.message.thinking, "Hm ü.");
    ASSERT_EQ(result->reply.message.tool_calls.size(), 2U);
    EXPECT_EQ(result->reply.message.tool_calls[0].args_json, R"({"a":1})");
    EXPECT_EQ(result->reply.message.tool_calls[1].args_json, "{}");
    EXPECT_EQ(result->reply.message.usage, (Usage{10, 0, 0, 5, 0}));
    EXPECT_EQ(result->reply.stop, StopReason::ToolUse);
    EXPECT_EQ(result->reply.provider_request_id, "resp_1");
  }
}

TEST_P(OpenaiResponsesStreamTest, SaysWhatTheWholeBodySays) {
  const std::string items = reasoning("rs_1", "Hm.") + "," + message("x");
  const auto whole = read(response(items));
  const auto streamed = stream(done(0, reasoning("rs_1", "Hm.")) + done(1, message("x")) +
                               event("response.completed", R"("response":)" + response(items)));
  ASSERT_TRUE(whole);
  ASSERT_TRUE(streamed);
  EXPECT_EQ(whole->reply.message, streamed->reply.message);
}

TEST_P(OpenaiResponsesStreamTest, RefusesAStreamThatEndsAtAnyByteBeforeItsLastEvent) {
  const std::string bytes = streamed_calls();
  for (std::size_t size = 0; size + 1 < bytes.size(); ++size)
    expect_malformed(stream(bytes.substr(0, size)), "ended before");
  EXPECT_TRUE(stream(bytes));
}

TEST_P(OpenaiResponsesStreamTest, PutsItemsInTheOrderOfTheirNumbers) {
  const auto result = stream(done(1, message("x")) + done(0, reasoning("rs_1")) +
                             event("response.completed", R"("response":{"status":"completed"})"));
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_TRUE(result->reply.message.extra);
  EXPECT_EQ(result->reply.message.extra->json, "[" + reasoning("rs_1") + "," + message("x") + "]");
  expect_malformed(stream(done(0, message("x")) + done(0, message("y"))), "output_index 0");
}

TEST_P(OpenaiResponsesStreamTest, TakesItemsThatWereNeverDoneFromTheLastEvent) {
  const auto cut =
      stream(done(0, message("I look.")) +
             event("response.incomplete",
                   R"("response":)" + incomplete(message("I look.") + "," + call("c", "\"{\""),
                                                 "max_output_tokens")));
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ(cut->reply.stop, StopReason::MaxTokens);
  EXPECT_EQ(cut->reply.message.tool_calls.size(), 1U);
}

/// Gateways that announce no item as done, and whose last event holds a placeholder.
TEST_P(OpenaiResponsesStreamTest, PutsItemsTogetherThatWereNeverDone) {
  const std::string last =
      event("response.completed",
            R"("response":)" + response(R"({"id":"msg_1","type":"message","content":[]})"));
  const std::string call_begins = event(
      "response.output_item.added",
      R"("output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"q","arguments":""})");
  const auto delta = [](const std::string& text) {
    return event("response.function_call_arguments.delta",
                 R"("output_index":0,"delta":)" + nlohmann::json(text).dump());
  };
  const std::string whole =
      event("response.function_call_arguments.done", R"("output_index":0,"arguments":"{\"a\":1}")");
  for (const std::string& pieces :
       {delta("{\"a\":") + delta("1}"), whole, delta("{\"a\":") + delta("1}") + whole}) {
    const auto result = stream(call_begins + pieces + last);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->reply.stop, StopReason::ToolUse);
    ASSERT_EQ(result->reply.message.tool_calls.size(), 1U);
    EXPECT_EQ(result->reply.message.tool_calls[0].id.value, "c1");
    EXPECT_EQ(result->reply.message.tool_calls[0].args_json, R"({"a":1})");
  }
  const std::string last_without_output =
      event("response.completed", R"("response":{"id":"resp_1","status":"completed"})");
  EXPECT_EQ(
      stream(call_begins + whole + last_without_output)->reply.message.tool_calls.at(0).args_json,
      R"({"a":1})");
  // Whole as it began, and not twice where the numbers differ.
  const std::string at_once = event("response.output_item.added",
                                    R"("output_index":0,"item":)" + call("c1", R"("{\"a\":1}")"));
  EXPECT_EQ(stream(at_once + last)->reply.message.tool_calls.at(0).args_json, R"({"a":1})");
  EXPECT_EQ(stream(at_once + done(1, call("c1", R"("{\"a\":1}")")) + last)
                ->reply.message.tool_calls.size(),
            1U);
  const auto part = [](int index, const std::string& said) {
    return event("response.output_text.delta", R"("output_index":0,"content_index":)" +
                                                   std::to_string(index) + R"(,"delta":")" + said +
                                                   "\"");
  };
  const auto parts =
      stream(event("response.output_item.added", R"("output_index":0,"item":{"type":"message"})") +
             part(0, "A") + part(1, "B") + last);
  EXPECT_EQ(parts->reply.message.text, "AB");
  const auto text = stream(
      event("response.output_item.added",
            R"("output_index":0,"item":{"type":"message","id":"msg_1","content":[]})") +
      event("response.output_text.delta", R"("output_index":0,"delta":"It is ")") + "data:\n\n" +
      event("response.output_text.delta", R"("output_index":0,"delta":"42.")") + last);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(text->reply.message.text, "It is 42.");
}

TEST_P(OpenaiResponsesStreamTest, RefusesWhatIsNoEventOrTooLong) {
  expect_malformed(stream("data: {\"type\":\n\n"), "not JSON");
  expect_malformed(stream("data: [DONE]\n\n"), "ended before");
  expect_malformed(
      stream(done(0, "7") + event("response.completed", R"("response":)" + response(""))),
      "not an object");
  limits_.reply_bytes_max = 200;
  expect_too_long(stream(done(0, message("x")) + done(1, message("y"))));
}

TEST_P(OpenaiResponsesStreamTest, ReportsAnErrorInsideAStream) {
  const auto flat = stream(done(0, message("x")) +
                           event("error", R"("code":"server_is_overloaded","message":"busy")"));
  ASSERT_FALSE(flat);
  EXPECT_EQ(flat.error().code, ErrorCode::Overloaded);
  EXPECT_TRUE(flat.error().maybe_done);
  EXPECT_NE(flat.error().message.find("busy"), std::string::npos);
  const auto limited =
      stream(event("response.created", R"("response":{"id":"resp_1","status":"in_progress"})") +
             event("error", R"("code":"rate_limit_exceeded","message":"slow")"));
  EXPECT_EQ(limited.error().code, ErrorCode::RateLimited);
  EXPECT_TRUE(limited.error().maybe_done) << "the response had begun";
  const auto refused = stream("data: {\"code\":\"InvalidApiKey\",\"message\":\"No key\"}\n\n");
  EXPECT_EQ(refused.error().code, ErrorCode::Authentication);
  const auto nested = stream(event(
      "error",
      R"("error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"m"})"));
  ASSERT_TRUE(nested);
  EXPECT_EQ(nested->reply.stop, StopReason::ContextExceeded);
  const auto begun = stream(
      event("response.created", R"("response":{"id":"resp_1","status":"in_progress"})") +
      event(
          "error",
          R"("error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"This model's maximum context length is 8192 tokens. However, you requested 9120 tokens"})"));
  ASSERT_TRUE(begun);
  EXPECT_FALSE(begun->reply.refused) << "it may have been paid";
  EXPECT_EQ(begun->reply.told, (ContextRefusal{8'192, 9'120, true}));
  EXPECT_EQ(stream("data: {\"error\":{\"code\":503,\"message\":\"m\"}}\n\n").error().code,
            ErrorCode::Unavailable);
  const auto failed = stream(
      event("response.failed",
            R"("response":)" +
                response("", "failed", R"("error":{"code":"insufficient_quota","message":"m"})")));
  EXPECT_EQ(failed.error().retry, Retry::Never);
}

}  // namespace
}  // namespace ba::llm
