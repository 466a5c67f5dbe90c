// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/llm/openai_responses_fixture.hpp"
#include "worker/llm/known_servers.hpp"

namespace ba::llm {
namespace {

using nlohmann::json;

class OpenaiResponsesRequest : public OpenaiResponsesFixture {
 protected:
  /// A reply with reasoning, answered, and the next question.
  TestRequest history(const std::string& items, const std::string& call_id = "c1") {
    const auto result = read(response(items));
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return TestRequest().with_tool().human("q").ai(result->reply.message).tool(call_id, "1");
  }

  std::string repaired(const std::string& code, const std::string& message,
                       const std::string& body) const {
    Error error;
    error.detail = "400 " + code;
    error.message = message;
    return protocol().repaired_body(error, body).value_or("none");
  }
};

/// What every server is asked in the same way.
using OpenaiResponsesRequestOfAny = WithAnyServer<OpenaiResponsesRequest>;
INSTANTIATE_TEST_SUITE_P(Quirks, OpenaiResponsesRequestOfAny, ::testing::ValuesIn(every_quirk()),
                         quirk_name);

TEST_P(OpenaiResponsesRequestOfAny, WritesAPlainQuestion) {
  auto request = TestRequest().human("How many?");
  EXPECT_EQ(*body(request), R"({"model":"model-1","store":false,)"
                            R"("include":["reasoning.encrypted_content"],)"
                            R"("max_output_tokens":100,"stream":true,)"
                            R"("instructions":"You are exact.",)"
                            R"("input":[{"type":"message","role":"user",)"
                            R"("content":[{"type":"input_text","text":"How many?"}]}]})");
}

TEST_P(OpenaiResponsesRequestOfAny, AnswersEachCallWithItsOwnOutput) {
  auto request = TestRequest()
                     .with_tool()
                     .human("q")
                     .ai("I look.", {tool_call("call_1"), tool_call("call_2", "{}")})
                     .tool("call_1", "1")
                     .tool("call_2", "Operation failed.", ToolStatus::Error)
                     .human("Hurry.")
                     .human("Please.");
  json body = written(request);
  if (provider_.quirks == LlmQuirks::LlamaCpp) {
    EXPECT_EQ(body["input"][1], json::parse(R"({"type":"message","role":"assistant",
      "content":[{"type":"output_text","text":"I look."}]})"))
        << "it takes parts alone";
    body["input"][1] = {{"role", "assistant"}, {"content", "I look."}};
  }
  EXPECT_EQ(body["input"], json::parse(R"([
    {"type":"message","role":"user","content":[{"type":"input_text","text":"q"}]},
    {"role":"assistant","content":"I look."},
    {"type":"function_call","call_id":"call_1","name":"query_database",
     "arguments":"{\"sql\":\"SELECT 1\"}"},
    {"type":"function_call","call_id":"call_2","name":"query_database","arguments":"{}"},
    {"type":"function_call_output","call_id":"call_1","output":"1"},
    {"type":"function_call_output","call_id":"call_2","output":"Operation failed."},
    {"type":"message","role":"user",
     "content":[{"type":"input_text","text":"Hurry.\n\nPlease."}]}])"));
  EXPECT_EQ(body["tools"], json::parse(R"([{"type":"function",
    "name":"query_database","description":"Runs SQL.","parameters":{"type":"object",
    "properties":{"sql":{"type":"string"}},"required":["sql"]},"strict":false}])"));
}

TEST_P(OpenaiResponsesRequestOfAny, JoinsSystemMessages) {
  auto request = TestRequest().system("S2").human("q").ai("a").system("S3").human("r").ai("");
  const json body = written(request);
  EXPECT_EQ(body["instructions"], "You are exact.\n\nS2");
  ASSERT_EQ(body["input"].size(), 3U);
  EXPECT_EQ(body["input"][2]["content"][0]["text"], "S3\n\nr");
  auto bare = TestRequest().human("q");
  bare.fields().system.clear();
  EXPECT_FALSE(written(bare).contains("instructions"));
}

TEST_F(OpenaiResponsesRequest, WritesTheModelsSettings) {
  model_.temperature = 0;
  model_.effort = "none";
  model_.parallel_tool_calls = false;
  provider_.streaming = false;
  auto request = TestRequest().with_tool().human("q");
  request.fields().max_output_tokens = 19;
  const json body = written(request);
  EXPECT_EQ(body["temperature"], 0.0);
  EXPECT_EQ(body["reasoning"], json::parse(R"({"effort":"none"})"));
  EXPECT_EQ(body["parallel_tool_calls"], false);
  EXPECT_EQ(body["max_output_tokens"], 19);
  EXPECT_FALSE(body.contains("stream"));
}

TEST_P(OpenaiResponsesRequestOfAny, HandsItemsBackByteForByte) {
  const std::string first = reasoning("rs_1", "Two \\u00fc tables.");
  const std::string second = call("c1", R"("{\"sql\": \"SELECT 1\"}")");
  auto request = history(first + "," + second);
  EXPECT_NE(body(request)->find(first + "," + second + R"(,{"type":"function_call_output")"),
            std::string::npos)
      << *body(request);
}

TEST_P(OpenaiResponsesRequestOfAny, HandsItemsBackToTheirOwnProviderOnly) {
  auto request = history(reasoning("rs_1") + "," + call("c1", "\"{}\""));
  provider_.name = "another";
  const json items = written(request)["input"];
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[1], json::parse(R"({"type":"function_call","call_id":"c1","name":"q",
                                      "arguments":"{}"})"));
}

TEST_P(OpenaiResponsesRequestOfAny, LeavesReasoningBehindThatLedToNothing) {
  AiMessage cut;
  cut.text = "";
  cut.extra = ProviderExtra{"openai_responses/p", "[" + reasoning("rs_1") + "]"};
  auto request = TestRequest().human("q").ai(cut).human("r");
  EXPECT_EQ(written(request)["input"].size(), 2U);
  cut.extra->json = "[" + message("x") + "," + reasoning("rs_2") + "]";
  auto more = TestRequest().human("q").ai(cut).human("r");
  EXPECT_EQ(written(more)["input"][1], json::parse(message("x")));
  EXPECT_EQ(written(more)["input"].size(), 3U);
}

TEST_P(OpenaiResponsesRequestOfAny, GivesEachCallAnIdOfItsOwn) {
  auto request = TestRequest().human("q");
  for (int step = 0; step < 2; ++step) request.ai("", {tool_call("call_0")}).tool("call_0", "1");
  const json items = written(request)["input"];
  EXPECT_EQ(items[1]["call_id"], "call_0");
  EXPECT_EQ(items[2]["call_id"], "call_0");
  EXPECT_NE(items[3]["call_id"], "call_0");
  EXPECT_EQ(items[4]["call_id"], items[3]["call_id"]);
}

TEST_P(OpenaiResponsesRequestOfAny, MapsIdsAndNamesOneToOne) {
  auto request =
      TestRequest().human("q").ai("", {tool_call("functions.x:0")}).tool("functions.x:0", "1");
  const json plain = written(request)["input"];
  EXPECT_EQ(plain[1]["call_id"], plain[2]["call_id"]);
  EXPECT_EQ(plain[1]["call_id"].get<std::string>().find('.'), std::string::npos);
  auto kept = history(reasoning("rs_1") +
                          R"(,{"id":"fc_1","type":"function_call","call_id":"a.b",)"
                          R"("name":"send telegram","arguments":"{}","status":"completed"})",
                      "a.b");
  const json items = written(kept)["input"];
  EXPECT_EQ(items[1], json::parse(reasoning("rs_1")));
  EXPECT_EQ(items[2]["call_id"], "a.b") << "its author takes it back";
  EXPECT_EQ(items[3]["call_id"], "a.b");
  EXPECT_EQ(items[2]["name"], "send_telegram");
  EXPECT_EQ(items[2]["id"], "fc_1");
}

TEST_P(OpenaiResponsesRequestOfAny, SendsAnEmptyObjectForArgumentsThatWereInvalid) {
  ToolCall broken = tool_call("c", "{}");
  broken.invalid_args = R"({"sql": "SELECT)";
  broken.args_error = "not valid JSON";
  auto request = TestRequest().human("q").ai("", {broken}).tool("c", "error", ToolStatus::Error);
  EXPECT_EQ(written(request)["input"][1]["arguments"], "{}");
}

TEST_P(OpenaiResponsesRequestOfAny, RefusesAHistoryThatIsNotValid) {
  auto open = TestRequest().human("q").ai("", {tool_call("t1")}).human("r");
  const auto refused = body(open);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_NE(refused.error().message.find("messages[1].tool_calls[0]"), std::string::npos);
  auto broken = TestRequest().human("a\xff");
  EXPECT_FALSE(body(broken));
}

TEST_P(OpenaiResponsesRequestOfAny, RefusesAMessageWhoseItemsAreNone) {
  AiMessage broken;
  broken.text = "x";
  broken.extra = ProviderExtra{"openai_responses/p", R"({"a":1})"};
  auto request = TestRequest().human("q").ai(broken).human("r");
  const auto result = body(request);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("messages[1].extra"), std::string::npos);
}

TEST_P(OpenaiResponsesRequestOfAny, LeavesOutReasoningThatCanBeReadNoMore) {
  auto request = history(reasoning("rs_1") + "," + call("c1", "\"{}\""));
  const std::string text = *body(request);
  const json before = json::parse(text);
  const json after = json::parse(repaired("invalid_encrypted_content", "m", text));
  ASSERT_EQ(after["input"].size(), before["input"].size() - 1);
  EXPECT_EQ(after["input"][1]["call_id"], "c1");
  EXPECT_FALSE(after["input"][1].contains("id")) << "it names reasoning that is gone";
  EXPECT_EQ(after["input"][2], before["input"][3]);
  EXPECT_EQ(after["tools"], before["tools"]);
  auto plain = TestRequest().human("q");
  EXPECT_EQ(repaired("invalid_encrypted_content", "m", *body(plain)), "none");
  EXPECT_EQ(repaired("invalid_request_error", "m", text), "none");
}

TEST_P(OpenaiResponsesRequestOfAny, AsksForNoEncryptionWhereThereIsNone) {
  auto request = TestRequest().human(R"("include":["reasoning.encrypted_content"],)");
  const std::string text = *body(request);
  const json after = json::parse(
      repaired("", "HTTP 400: Encrypted content is not supported with this model.", text));
  json before = json::parse(text);
  before.erase("include");
  EXPECT_EQ(after, before);
}

TEST_F(OpenaiResponsesRequest, BuildsItsUrlFromEitherFormOfABase) {
  EXPECT_EQ(protocol().url(provider_), "http://127.0.0.1:1/v1/responses");
  provider_.base_url = "https://api.openai.com/v1/";
  EXPECT_EQ(protocol().url(provider_), "https://api.openai.com/v1/responses");
  provider_.api_key = Secret("k");
  EXPECT_EQ(protocol().headers(provider_).at(0).second.reveal(), "Bearer k");
}

TEST(OpenaiModel, KnowsWhichOfThemReason) {
  for (const char* reasons : {"o1", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5.4-mini",
                              "gpt-6.1-sol", "gpt-10", "ft:o4-mini:team::1"})
    EXPECT_TRUE(is_openai_reasoning_model(reasons)) << reasons;
  for (const char* other : {"gpt-4.1", "gpt-4o", "gpt-3.5-turbo", "gpt-oss-20b", "omni", "o", "",
                            "qwen3", "ft:gpt-4.1:x"})
    EXPECT_FALSE(is_openai_reasoning_model(other)) << other;
}

TEST(OpenaiModel, KnowsItsHost) {
  for (const char* own :
       {"https://api.openai.com", "https://api.openai.com:443/v1", "https://eu.api.openai.com/v1"})
    EXPECT_TRUE(is_openai_host(own)) << own;
  for (const char* other : {"https://api.openai.com.evil.example/v1", "https://notopenai.com",
                            "http://localhost:8080/openai.com", "https://x.openai.azure.com"})
    EXPECT_FALSE(is_openai_host(other)) << other;
}

}  // namespace
}  // namespace ba::llm
