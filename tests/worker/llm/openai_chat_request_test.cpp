// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/llm/openai_chat_fixture.hpp"
#include "worker/llm/tool_id.hpp"

namespace ba::llm {
namespace {

using nlohmann::json;

using OpenaiChatRequest = OpenaiChatFixture;

/// What every server is asked in the same way.
using OpenaiChatRequestOfAny = WithAnyServer<OpenaiChatRequest>;
INSTANTIATE_TEST_SUITE_P(Quirks, OpenaiChatRequestOfAny, ::testing::ValuesIn(every_quirk()),
                         quirk_name);

TEST_F(OpenaiChatRequest, WritesAPlainQuestion) {
  auto request = TestRequest().human("How many?");
  EXPECT_EQ(*body(request), R"({"model":"model-1","max_completion_tokens":100,"stream":true,)"
                            R"("stream_options":{"include_usage":true},)"
                            R"("messages":[{"role":"system","content":"You are exact."},)"
                            R"({"role":"user","content":"How many?"}]})");
}

TEST_P(OpenaiChatRequestOfAny, AnswersEachCallWithItsOwnToolMessage) {
  auto request = TestRequest()
                     .with_tool()
                     .human("q")
                     .ai("", {tool_call("call_1"), tool_call("call_2", "{}")})
                     .tool("call_1", "1")
                     .tool("call_2", "Operation failed.", ToolStatus::Error)
                     .human("Hurry.")
                     .human("Please.");
  if (provider_.quirks == LlmQuirks::Mistral) return;  // compatible_servers_test has it
  json body = written(request);
  body["messages"][2].erase("content");  // null or ""
  EXPECT_EQ(body["messages"], json::parse(R"([
    {"role":"system","content":"You are exact."},
    {"role":"user","content":"q"},
    {"role":"assistant","tool_calls":[
      {"id":"call_1","type":"function","function":{"name":"query_database","arguments":"{\"sql\":\"SELECT 1\"}"}},
      {"id":"call_2","type":"function","function":{"name":"query_database","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"call_1","content":"1"},
    {"role":"tool","tool_call_id":"call_2","content":"Operation failed."},
    {"role":"user","content":"Hurry.\n\nPlease."}])"));
  EXPECT_EQ(body["tools"][0], json::parse(R"({"type":"function","function":{
    "name":"query_database","description":"Runs SQL.","parameters":{"type":"object",
    "properties":{"sql":{"type":"string"}},"required":["sql"]}}})"));
}

/// OpenAI takes one without; the templates of many models don't.
TEST_P(OpenaiChatRequestOfAny, LetsAUserBeginAHistoryThatTheAssistantBegan) {
  auto request = TestRequest().system("S2").ai("Hello.").human("q");
  EXPECT_EQ(written(request)["messages"], json::parse(R"([
    {"role":"system","content":"You are exact.\n\nS2"},
    {"role":"user","content":"[The assistant began this conversation.]"},
    {"role":"assistant","content":"Hello."},{"role":"user","content":"q"}])"));
}

TEST_P(OpenaiChatRequestOfAny, JoinsSystemMessages) {
  auto request = TestRequest().system("S2").human("q").ai("a").system("S3").human("r").ai("");
  EXPECT_EQ(written(request)["messages"], json::parse(R"([
    {"role":"system","content":"You are exact.\n\nS2"},{"role":"user","content":"q"},
    {"role":"assistant","content":"a"},{"role":"user","content":"S3\n\nr"}])"));
}

TEST_F(OpenaiChatRequest, WritesTheModelsSettings) {
  model_.temperature = 0;
  model_.effort = "low";
  model_.parallel_tool_calls = true;
  auto request = TestRequest().with_tool().human("q");
  request.fields().max_output_tokens = 9;
  const json body = written(request);
  EXPECT_EQ(body["temperature"], 0.0);
  EXPECT_EQ(body["reasoning_effort"], "low");
  EXPECT_EQ(body["parallel_tool_calls"], true);
  EXPECT_EQ(body["max_completion_tokens"], 9);
}

TEST_P(OpenaiChatRequestOfAny, HandsForeignMembersBackToItsOwnProviderOnly) {
  AiMessage message;
  message.text = "x";
  message.tool_calls = {tool_call("a"), tool_call("b")};
  message.extra = ProviderExtra{
      "openai_chat/p", R"({"reasoning_details":[{"s":"1"}],"tool_calls":[{"sig":"z"},{}]})"};
  auto request = TestRequest().human("q").ai(message).tool("a", "1").tool("b", "2");
  const json sent = written(request)["messages"][2];
  if (provider_.quirks == LlmQuirks::Mistral) {
    EXPECT_FALSE(sent.contains("reasoning_details")) << "it refuses what it doesn't know";
    return;
  }
  EXPECT_EQ(sent["reasoning_details"], json::parse(R"([{"s":"1"}])"));
  EXPECT_EQ(sent["tool_calls"][0]["sig"], "z");
  EXPECT_EQ(sent["tool_calls"][1].size(), 3U);
  for (const char* other : {"openai_chat/q", "anthropic/p", "openai_chat"}) {
    message.extra->provider = other;
    auto foreign = TestRequest().human("q").ai(message).tool("a", "1").tool("b", "2");
    const json left = written(foreign)["messages"][2];
    EXPECT_FALSE(left.contains("reasoning_details")) << other;
    EXPECT_EQ(left["tool_calls"][0].size(), 3U) << other;
  }
}

/// Servers that parse the arguments fail on what is no object, in every request from then on.
TEST_P(OpenaiChatRequestOfAny, SendsAnEmptyObjectForArgumentsThatWereInvalid) {
  ToolCall broken = tool_call("c", "{}");
  broken.invalid_args = R"({"sql": "SELECT)";
  broken.args_error = "not valid JSON";
  auto request = TestRequest().human("q").ai("", {broken}).tool("c", "error", ToolStatus::Error);
  const json sent = written(request)["messages"][2]["tool_calls"][0];
  EXPECT_EQ(sent["function"]["arguments"], "{}");
}

TEST_P(OpenaiChatRequestOfAny, RefusesAHistoryThatIsNotValid) {
  auto open = TestRequest().human("q").ai("", {tool_call("t1")}).human("r");
  const auto refused = body(open);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_NE(refused.error().message.find("messages[1].tool_calls[0]"), std::string::npos);
  auto broken = TestRequest().human("a\xff");
  EXPECT_FALSE(body(broken));
  model_.tool_calling = ToolCalling::Text;
  EXPECT_FALSE(body(open)) << "nor where tools stand in the text";
}

TEST_P(OpenaiChatRequestOfAny, MapsIdsOneToOne) {
  auto request =
      TestRequest().human("q").ai("", {tool_call("functions.x:0")}).tool("functions.x:0", "1");
  const json messages = written(request)["messages"];
  EXPECT_EQ(messages[2]["tool_calls"][0]["id"], messages[3]["tool_call_id"]);
  EXPECT_EQ(messages[3]["tool_call_id"],
            wire_tool_id("functions.x:0", chat_id_rule(provider_.quirks)));
  EXPECT_NE(messages[3]["tool_call_id"], "functions.x:0");
}

TEST_P(OpenaiChatRequestOfAny, HandsAnIdBackToItsAuthorAsItIs) {
  const std::string id = "functions.a_tool_with_a_very_long_name_in_it:10";
  const auto reply = read(completion(with_calls(call(id, "\"{}\"")), "tool_calls"));
  ASSERT_TRUE(reply);
  auto own = TestRequest().human("q").ai(reply->reply.message).tool(id, "1");
  EXPECT_EQ(written(own)["messages"][2]["tool_calls"][0]["id"], id);
  EXPECT_EQ(written(own)["messages"][3]["tool_call_id"], id);
  AiMessage message = reply->reply.message;
  message.extra->provider = "openai_chat/other";
  auto foreign = TestRequest().human("q").ai(message).tool(id, "1");
  const json sent = written(foreign)["messages"];
  EXPECT_NE(sent[2]["tool_calls"][0]["id"], id);
  EXPECT_EQ(sent[2]["tool_calls"][0]["id"], sent[3]["tool_call_id"]);
}

/// An earlier version kept only the last piece of a list that came in pieces.
TEST_F(OpenaiChatRequest, LeavesOutReasoningThatLostItsText) {
  AiMessage message;
  message.text = "x";
  const auto sent = [&](const std::string& details) {
    message.extra = ProviderExtra{"openai_chat/p", R"({"reasoning_details":)" + details + "}"};
    auto request = TestRequest().human("q").ai(message).human("r");
    return written(request)["messages"][2].contains("reasoning_details");
  };
  EXPECT_FALSE(sent(R"([{"type":"reasoning.text","signature":"U0lH","index":0}])"));
  EXPECT_TRUE(sent(R"([{"type":"reasoning.text","text":"a","signature":"U0lH","index":0}])"));
  EXPECT_TRUE(sent(R"([{"type":"reasoning.encrypted","data":"zz","index":0}])"));
}

TEST_F(OpenaiChatRequest, BuildsItsUrlFromEitherFormOfABase) {
  EXPECT_EQ(protocol().url(provider_), "http://127.0.0.1:1/v1/chat/completions");
  provider_.base_url = "https://api.openai.com/v1/";
  EXPECT_EQ(protocol().url(provider_), "https://api.openai.com/v1/chat/completions");
  provider_.api_key = Secret("k");
  EXPECT_EQ(protocol().headers(provider_).at(0).second.reveal(), "Bearer k");
}

}  // namespace
}  // namespace ba::llm
