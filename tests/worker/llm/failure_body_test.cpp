// SPDX-License-Identifier: Apache-2.0
// Failures as servers and gateways tell them, row by row.
#include "worker/llm/failure_body.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/worker/llm/openai_chat_fixture.hpp"

namespace ba::llm {
namespace {

TEST(FailureBody, TellsTheReasonInEachShape) {
  struct Row {
    int status;
    std::string body;
    std::string message;
  };
  const std::vector<Row> rows = {
      {400, R"({"error":{"type":"invalid_request_error","message":"bad"}})",
       "HTTP 400 invalid_request_error: bad"},
      {400, R"([{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}])",
       "HTTP 400 INVALID_ARGUMENT: bad"},
      {404, R"({"error":"model 'x' not found"})", "HTTP 404: model 'x' not found"},
      {400, R"({"code":"Client specified an invalid argument","error":"bad"})",
       "HTTP 400 Client specified an invalid argument: bad"},
      {422, R"({"error":"bad","error_type":"validation"})", "HTTP 422 validation: bad"},
      {401, R"({"detail":"Invalid token"})", "HTTP 401: Invalid token"},
      {422, R"({"detail":[{"loc":["body"],"msg":"field required","type":"missing"}]})",
       "HTTP 422 missing: field required"},
      {403, R"({"errors":[{"code":1001,"message":"no"}]})", "HTTP 403: no"},
      {400, R"({"object":"error","message":"bad","type":"BadRequestError","code":400})",
       "HTTP 400 BadRequestError: bad"},
      {400, R"({"message":"Input is wrong","__type":"ValidationException"})",
       "HTTP 400 ValidationException: Input is wrong"},
      {502,
       R"({"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"upstream is down"}}})",
       "HTTP 502: Provider returned error: upstream is down"},
      {500, R"({"odd":1})", R"(HTTP 500: {"odd":1})"},
      {502, "<html>no</html>", "HTTP 502: an HTML page"}};
  for (const Row& row : rows)
    EXPECT_EQ(error_of(read_failure_body(row.status, row.body)).message, row.message) << row.body;
}

TEST(FailureBody, EmptyErrorsAreNone) {
  for (const char* empty : {"null", "{}", "\"\"", "\" \"", "[]", "[{}]", "false", "0",
                            R"({"code":null,"message":""})", R"({"code":0,"message":"success"})"})
    EXPECT_FALSE(says_error(*JsonView::parse(empty))) << empty;
  for (const char* error : {"\"x\"", "true", "7", R"({"message":"x"})", R"({"code":1})",
                            R"([{"message":"x"}])", R"({"details":{"why":"x"}})"})
    EXPECT_TRUE(says_error(*JsonView::parse(error))) << error;
}

TEST(FailureBody, KnowsAFullContextByManyWordings) {
  const std::vector<std::string> full = {
      "prompt is too long: 208310 tokens > 200000 maximum",
      "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
      "This model's maximum context length is 8192 tokens. However, you requested 9120 tokens",
      "The input (9120 tokens) is longer than the model's context length (8192 tokens).",
      "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
      "Your input exceeds the context window of this model. Please adjust your input",
      "`inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9120 `inputs` tokens",
      "The input token count (1050000) exceeds the maximum number of tokens allowed (1048576).",
      "Input is too long for requested model.",
      "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
      "Invalid request: Your request exceeded model token limit: 8192",
      "Requested token count exceeds the model's maximum context length of 32768 tokens.",
      "Range of input length should be [1, 30720]",
      "Please reduce the length of the messages or completion.",
      "prompt token count of 130000 exceeds the limit of 128000",
      "the request exceeds the available context size, try increasing it",
      "Trying to keep the first 111490 tokens when context the overflows. However, the model is "
      "loaded with context length of only 32768 tokens, which is not enough.",
      "The number of tokens to keep from the initial prompt is greater than the context length",
      "`inputs` must have less than 4096 tokens. Given: 4545",
      "Prompt exceeds max length",
      "Too many input tokens: 200000",
      "The decoder prompt (length 8357) is longer than the maximum model length of 8192."};
  for (const std::string& message : full)
    EXPECT_TRUE(says_context_exceeded({400, "", "", message})) << message;
  EXPECT_TRUE(says_context_exceeded({400, "exceed_context_size_error", "", ""}));
  EXPECT_TRUE(says_context_exceeded({400, "", "context_length_exceeded", ""}));
  EXPECT_TRUE(says_context_exceeded({400, "ContextWindowExceededError", "", ""}));
  const std::vector<std::string> others = {
      "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
      "thinking.budget_tokens: Input should be greater than or equal to 1024",
      "Invalid 'messages[3].tool_calls[0].id': string too long. Expected at most 40 characters",
      "messages: text content blocks must be non-empty",
      "max_tokens: Field required",
      "too many input tokens per minute"};
  for (const std::string& message : others)
    EXPECT_FALSE(says_context_exceeded({400, "", "", message})) << message;
  EXPECT_TRUE(says_context_exceeded(
      {429, "tokens", "rate_limit_exceeded", "Request too large for m on tokens per min (TPM)"}));
  EXPECT_FALSE(says_context_exceeded(
      {402, "", "", "Prompt tokens limit exceeded: 64128 > 6964. Visit settings/credits"}));
  for (const int status : {200, 401, 402, 403, 429})
    EXPECT_FALSE(says_context_exceeded({status, "", "", full[0]})) << status;
}

TEST(FailureBody, KeepsTheWaitThatABodyAsksFor) {
  const auto wait = [](int status, const std::string& body) {
    return error_of(read_failure_body(status, body)).retry_after;
  };
  EXPECT_EQ(
      wait(
          429,
          R"([{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"q","violations":[]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"45.000s"}]}}])"),
      Milliseconds(45'000));
  EXPECT_EQ(
      wait(
          429,
          R"({"error":{"message":"Rate limit reached. Please try again in 38.5s.","type":"tokens","code":"rate_limit_exceeded"}})"),
      Milliseconds(38'500));
  EXPECT_EQ(wait(429, R"({"error":{"message":"slow","retry_after":7}})"), Milliseconds(7000));
  EXPECT_EQ(wait(429, R"({"error":{"message":"slow","metadata":{"retry_after_seconds":2.5}}})"),
            Milliseconds(2500));
  EXPECT_EQ(wait(429, R"({"error":{"message":"slow","retry_after":"7"}})"), Milliseconds(7000));
  EXPECT_EQ(wait(503, "busy, please retry in 9 seconds"), Milliseconds(9000));
  EXPECT_EQ(wait(429, R"({"error":{"message":"slow"}})"), std::nullopt);
  EXPECT_EQ(wait(400, R"({"error":{"message":"bad, try again in 5s"}})"), std::nullopt);
}

using ErrorsOf200 = OpenaiChatFixture;

TEST_F(ErrorsOf200, AreToldWithTheirClass) {
  const auto key = read(R"({"code":"InvalidApiKey","message":"No API-key provided."})");
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().code, ErrorCode::Authentication);
  EXPECT_EQ(key.error().retry, Retry::Never);
  EXPECT_FALSE(key.error().maybe_done);
  EXPECT_NE(key.error().message.find("No API-key provided."), std::string::npos);
  const std::vector<std::pair<std::string, ErrorCode>> rows = {
      {R"({"error":{"code":429,"message":"slow"}})", ErrorCode::RateLimited},
      {R"({"error":{"code":"Throttling.RateQuota","message":"slow"}})", ErrorCode::RateLimited},
      {R"({"error":{"status":"RESOURCE_EXHAUSTED","message":"slow"}})", ErrorCode::RateLimited},
      {R"({"error":{"type":"overloaded_error","message":"busy"}})", ErrorCode::Overloaded},
      {R"({"code":"Arrearage","message":"pay"})", ErrorCode::LimitExceeded},
      {R"({"base_resp":{"status_code":1004,"status_msg":"login fail"},"choices":null})",
       ErrorCode::Unavailable},
      {R"([{"error":{"code":503,"message":"busy"}}])", ErrorCode::Unavailable}};
  for (const auto& [body, code] : rows) {
    const auto result = read(body);
    ASSERT_FALSE(result) << body;
    EXPECT_EQ(result.error().code, code) << result.error().message;
    const auto streamed = stream("data: " + body + "\n\n");
    ASSERT_FALSE(streamed) << body;
    EXPECT_EQ(streamed.error().code, code) << streamed.error().message;
  }
}

TEST_F(ErrorsOf200, MayBeAFullContext) {
  const std::string full =
      R"({"error":{"code":400,"message":"This model's maximum context length is 8 tokens"}})";
  EXPECT_EQ(read(full)->reply.stop, StopReason::ContextExceeded);
  EXPECT_EQ(stream("data: " + full + "\n\n")->reply.stop, StopReason::ContextExceeded);
}

/// What was written until then is an answer that was cut, and was paid.
TEST_F(ErrorsOf200, LoseNoTextThatWasWrittenUntilTheContextWasFull) {
  const auto cut = stream(
      chunk(R"({"content":"It is"})") +
      "data: {\"error\":{\"code\":500,\"message\":\"Context size has been exceeded.\"}}\n\n");
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ(cut->reply.stop, StopReason::MaxTokens);
  EXPECT_EQ(cut->reply.message.text, "It is");
  EXPECT_FALSE(cut->usage_known);
}

TEST_F(ErrorsOf200, AreNoneWhereTheySayNothingBesideAReply) {
  const std::string whole = completion(R"({"content":"It is 42."})", "stop");
  for (const char* empty : {"{}", "\"\"", "null", R"({"code":0,"message":""})"}) {
    const auto result = read(whole.substr(0, whole.size() - 1) + ",\"error\":" + empty + "}");
    ASSERT_TRUE(result) << empty;
    EXPECT_EQ(result->reply.message.text, "It is 42.");
    const auto streamed = stream(chunk(R"({"content":"It is 42."})") + "data: {\"error\":" + empty +
                                 "}\n\n" + chunk("{}", "\"stop\""));
    ASSERT_TRUE(streamed) << empty;
    EXPECT_EQ(streamed->reply.message.text, "It is 42.");
  }
}

}  // namespace
}  // namespace ba::llm
