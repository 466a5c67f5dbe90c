// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/anthropic/anthropic_wire.hpp"

#include <set>

#include "tests/worker/llm/protocol_fixture.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"

namespace ba::llm {
namespace {

using nlohmann::json;

class AnthropicRequest : public ProtocolFixture {
 protected:
  AnthropicRequest() : ProtocolFixture(&anthropic_protocol()) { provider_.prompt_cache = false; }
};

using AnthropicRequestOfAny = WithAnyServer<AnthropicRequest>;
INSTANTIATE_TEST_SUITE_P(Quirks, AnthropicRequestOfAny, ::testing::ValuesIn(every_quirk()),
                         quirk_name);

TEST_P(AnthropicRequestOfAny, WritesAPlainQuestion) {
  auto request = TestRequest().human("How many?");
  EXPECT_EQ(*body(request),
            R"({"model":"model-1","max_tokens":100,"stream":true,)"
            R"("system":[{"type":"text","text":"You are exact."}],)"
            R"("messages":[{"role":"user","content":[{"type":"text","text":"How many?"}]}]})");
}

TEST_P(AnthropicRequestOfAny, PutsAllResultsOfAStepInOneUserMessageBeforeTheText) {
  auto request = TestRequest()
                     .with_tool()
                     .human("q")
                     .ai("I look.", {tool_call("toolu_1"), tool_call("toolu_2", "{}")})
                     .tool("toolu_1", "{\"n\":1}")
                     .tool("toolu_2", "Operation failed.", ToolStatus::Error)
                     .human("Hurry.")
                     .human("Please.");
  EXPECT_EQ(written(request).at("messages"), json::parse(R"([
    {"role":"user","content":[{"type":"text","text":"q"}]},
    {"role":"assistant","content":[{"type":"text","text":"I look."},
      {"type":"tool_use","id":"toolu_1","name":"query_database","input":{"sql":"SELECT 1"}},
      {"type":"tool_use","id":"toolu_2","name":"query_database","input":{}}]},
    {"role":"user","content":[
      {"type":"tool_result","tool_use_id":"toolu_1","content":"{\"n\":1}"},
      {"type":"tool_result","tool_use_id":"toolu_2","content":"Operation failed.","is_error":true},
      {"type":"text","text":"Hurry."},{"type":"text","text":"Please."}]}])"));
}

/// As one that was imported may; nothing of it is left out.
TEST_P(AnthropicRequestOfAny, LetsAUserBeginAHistoryThatTheAssistantBegan) {
  auto request = TestRequest()
                     .system("Round 1")
                     .ai("Hello.", {tool_call("toolu_1", "{}")})
                     .tool("toolu_1", "1")
                     .human("q");
  EXPECT_EQ(written(request).at("messages"), json::parse(R"([
    {"role":"user","content":[{"type":"text","text":"[The assistant began this conversation.]"}]},
    {"role":"assistant","content":[{"type":"text","text":"Hello."},
      {"type":"tool_use","id":"toolu_1","name":"query_database","input":{}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"1"},
      {"type":"text","text":"q"}]}])"));
  auto wordless = TestRequest().human(" ").ai("Hello.").human("q");
  EXPECT_EQ(written(wordless)["messages"].size(), 3U);
  EXPECT_EQ(written(wordless)["messages"][0]["role"], "user");
}

/// As in a conversation that was imported, or whose user said nothing: the provider refuses
/// thinking behind other blocks of its message.
TEST_F(AnthropicRequest, KeepsThinkingAtTheHeadOfItsMessage) {
  AiMessage thought;
  thought.text = "I look.";
  thought.tool_calls = {tool_call("toolu_1", "{}")};
  thought.extra = ProviderExtra{extra_origin(provider_), R"([
    {"type":"thinking","thinking":"Hm.","signature":"c2ln"},{"type":"text","text":"I look."},
    {"type":"tool_use","id":"toolu_1","name":"query_database","input":{}}])"};
  auto request = TestRequest().human("q").ai("Hello.").human(" ").ai(thought).tool("toolu_1", "1");
  const json messages = written(request)["messages"];
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_EQ(messages[2], json::parse(R"({"role":"user","content":[
    {"type":"text","text":"[The assistant went on by itself.]"}]})"));
  EXPECT_EQ(messages[3]["content"][0]["type"], "thinking");
  thought.extra->json = R"([{"type":"text","text":"I look."},
    {"type":"tool_use","id":"toolu_1","name":"query_database","input":{}}])";
  auto plain = TestRequest().human("q").ai("Hello.").ai(thought).tool("toolu_1", "1");
  EXPECT_EQ(written(plain)["messages"].size(), 3U) << "texts may follow each other";
}

TEST_F(AnthropicRequest, MarksTheStablePrefixForTheCache) {
  provider_.prompt_cache.reset();  // the default
  auto request = TestRequest().with_tool().human("q").ai("a").human("r");
  const json body = written(request);
  const json mark = {{"type", "ephemeral"}};
  EXPECT_EQ(body["tools"].back()["cache_control"], mark);
  EXPECT_EQ(body["system"][0]["cache_control"], mark);
  EXPECT_EQ(body["messages"].back()["content"].back()["cache_control"], mark);
  EXPECT_EQ(body["messages"][0]["content"].back()["cache_control"], mark) << "the end before";
}

/// The provider looks back over 20 blocks only, and a step of ten calls has as many.
TEST_F(AnthropicRequest, MarksTheEndBeforeForTheCache) {
  provider_.prompt_cache.reset();
  auto request = TestRequest().with_tool().human("q");
  const auto step = [&](const std::string& name) {
    std::vector<ToolCall> calls;
    for (int i = 0; i < 10; ++i) calls.push_back(tool_call(name + std::to_string(i)));
    request.ai("I look.", calls);
    for (int i = 0; i < 10; ++i) request.tool(name + std::to_string(i), "1");
  };
  step("a");
  step("b");
  const json messages = written(request)["messages"];
  ASSERT_EQ(messages.size(), 5U);
  for (std::size_t i = 0; i < messages.size(); ++i)
    for (const json& block : messages[i]["content"])
      EXPECT_EQ(block.contains("cache_control"),
                (i == 2 || i == 4) && block == messages[i]["content"].back())
          << i << block;
}

/// What precedes the compressed part doesn't change with it.
TEST_F(AnthropicRequest, MarksTheCompressedPartBehindThePrompt) {
  provider_.prompt_cache.reset();
  auto before = TestRequest().with_tool().human("q").ai("a").human("r");
  auto after =
      TestRequest().with_tool().system("Round 1").system("Round 2").human("q").ai("a").human("r");
  const json whole = written(before);
  const json shorter = written(after);
  EXPECT_FALSE(shorter["tools"].back().contains("cache_control")) << "the prompt's mark has them";
  EXPECT_EQ(whole["system"][0], shorter["system"][0]);
  ASSERT_EQ(shorter["system"].size(), 3U);
  EXPECT_FALSE(shorter["system"][1].contains("cache_control"));
  EXPECT_TRUE(shorter["system"][2].contains("cache_control"));
  const std::string text = shorter.dump();
  std::size_t marks = 0;
  for (std::size_t at = text.find("cache_control"); at != std::string::npos;
       at = text.find("cache_control", at + 1))
    ++marks;
  EXPECT_EQ(marks, 4U) << "more are refused";
}

TEST_P(AnthropicRequestOfAny, WritesTheSameBytesForTheSameBeginning) {
  auto request = TestRequest().with_tool().human("q");
  const std::string first = *body(request);
  request.ai("", {tool_call("t1")}).tool("t1", "x");
  const std::string second = *body(request);
  const std::string common = first.substr(0, first.size() - 2);  // without "]}"
  EXPECT_EQ(second.substr(0, common.size()), common);
}

TEST_P(AnthropicRequestOfAny, JoinsLeadingSystemMessagesToTheSystemPrompt) {
  auto request = TestRequest().system("Round 1: …").human("q").ai("a").system("Note.").human("r");
  const json body = written(request);
  EXPECT_EQ(body["system"], json::parse(R"([{"type":"text","text":"You are exact."},
                                            {"type":"text","text":"Round 1: …"}])"));
  EXPECT_EQ(body["messages"][2], json::parse(R"({"role":"user","content":[
    {"type":"text","text":"Note."},{"type":"text","text":"r"}]})"));
}

TEST_P(AnthropicRequestOfAny, LeavesOutWhatHasNoVisibleText) {
  auto request = TestRequest().human("q").ai(" \n").human("r");
  EXPECT_EQ(written(request)["messages"], json::parse(R"([{"role":"user","content":[
    {"type":"text","text":"q"},{"type":"text","text":"r"}]}])"));
}

TEST_P(AnthropicRequestOfAny, HandsForeignBlocksBackUntouchedToItsOwnProviderOnly) {
  AiMessage message;
  message.text = "x";
  message.thinking = "hm";
  message.tool_calls = {tool_call("toolu_1", R"({"a":1})")};
  const std::string content =
      R"([{"type":"thinking","thinking":"h\u006d","signature":"Eq=="},)"
      R"( {"type":"tool_use","id":"toolu_1","name":"query_database","input":{ "a" : 1 },"caller":{"x":1}}])";
  message.extra = ProviderExtra{"anthropic/p", content};
  auto request = TestRequest().human("q").ai(message).tool("toolu_1", "ok");
  const std::string sent = *body(request);
  EXPECT_NE(sent.find(R"({"type":"thinking","thinking":"h\u006d","signature":"Eq=="})"),
            std::string::npos);
  EXPECT_NE(sent.find(R"("input":{ "a" : 1 },"caller":{"x":1}})"), std::string::npos);
  for (const char* other : {"anthropic/q", "openai_chat/p", "anthropic"}) {
    message.extra->provider = other;
    auto foreign = TestRequest().human("q").ai(message).tool("toolu_1", "ok");
    EXPECT_EQ(written(foreign)["messages"][1]["content"],
              json::parse(R"([{"type":"text","text":"x"},
      {"type":"tool_use","id":"toolu_1","name":"query_database","input":{"a":1}}])"))
        << other;
  }
}

TEST_P(AnthropicRequestOfAny, MapsIdsThatTheProviderRefusesOneToOne) {
  auto request = TestRequest()
                     .human("q")
                     .ai("", {tool_call("functions.x:0"), tool_call("functions_x_0")})
                     .tool("functions.x:0", "1")
                     .tool("functions_x_0", "2")
                     .ai("I look.", {tool_call("a.b")})
                     .tool("a.b", "3");
  const json messages = written(request)["messages"];
  const std::string first = messages[1]["content"][0]["id"];
  EXPECT_EQ(first.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-"), std::string::npos);
  EXPECT_EQ(messages[2]["content"][0]["tool_use_id"], first);
  EXPECT_EQ(messages[2]["content"][1]["tool_use_id"], "functions_x_0");
  EXPECT_EQ(messages[3]["content"][1]["id"], messages[4]["content"][0]["tool_use_id"]);
  EXPECT_NE(messages[3]["content"][1]["id"], first);
}

/// Some servers number the calls of each reply anew, and a conversation may move from one to
/// another.
TEST_P(AnthropicRequestOfAny, GivesEachCallAnIdOfItsOwn) {
  auto request = TestRequest().human("q");
  for (int step = 0; step < 3; ++step) request.ai("", {tool_call("call_0")}).tool("call_0", "1");
  const json messages = written(request)["messages"];
  std::set<std::string> ids;
  for (const std::size_t i : {1U, 3U, 5U}) {
    ids.insert(messages[i]["content"][0]["id"]);
    EXPECT_EQ(messages[i + 1]["content"][0]["tool_use_id"], messages[i]["content"][0]["id"]);
  }
  EXPECT_EQ(ids.size(), 3U);
  EXPECT_TRUE(ids.contains("call_0"));
}

TEST_P(AnthropicRequestOfAny, HandsAnIdBackToItsAuthorAsItIs) {
  const auto reply = read(
      R"({"content":[{"type":"tool_use","id":"functions.x:0","name":"n","input":{}}],"stop_reason":"tool_use"})");
  ASSERT_TRUE(reply);
  auto request = TestRequest().human("q").ai(reply->reply.message).tool("functions.x:0", "1");
  const json messages = written(request)["messages"];
  EXPECT_EQ(messages[1]["content"][0]["id"], "functions.x:0");
  EXPECT_EQ(messages[2]["content"][0]["tool_use_id"], "functions.x:0");
}

/// Kept by earlier versions, and refused by the provider at each later request.
TEST_P(AnthropicRequestOfAny, LeavesOutBlocksThatItsAuthorDoesNotTakeBack) {
  AiMessage message;
  message.tool_calls = {tool_call("t")};
  const std::string thinking = R"({"type":"thinking","thinking":"hm","signature":"Eq=="})";
  const std::string call = R"({"type":"tool_use","id":"t","name":"n","input":{}})";
  message.extra =
      ProviderExtra{"anthropic/p", "[" + thinking + R"(,{"type":"text","text":" "},)" + call + "]"};
  auto request = TestRequest().human("q").ai(message).tool("t", "1");
  EXPECT_EQ(written(request)["messages"][1]["content"],
            json::parse("[" + thinking + "," + call + "]"));
  AiMessage cut;
  cut.extra =
      ProviderExtra{"anthropic/p", "[" + thinking + R"(,{"type":"text","text":"I check."},)" +
                                       R"({"type":"thinking","thinking":"cut","signature":""}])"};
  auto trailing = TestRequest().human("q").ai(cut).human("r");
  EXPECT_EQ(written(trailing)["messages"][1]["content"],
            json::parse("[" + thinking + R"(,{"type":"text","text":"I check."}])"));
  for (const std::string& alone :
       {"[" + thinking + "]", "[" + thinking + R"(,{"type":"text","text":""}])",
        std::string(R"([{"type":"redacted_thinking","data":"zz"}])"), std::string("[]")}) {
    cut.extra = ProviderExtra{"anthropic/p", alone};
    auto after = TestRequest().human("q").ai(cut).human("r");
    EXPECT_EQ(written(after)["messages"], json::parse(R"([{"role":"user","content":[
      {"type":"text","text":"q"},{"type":"text","text":"r"}]}])"))
        << alone;
  }
}

TEST_P(AnthropicRequestOfAny, SendsAnEmptyObjectForArgumentsThatWereInvalid) {
  ToolCall call = tool_call("t1", "{}");
  call.invalid_args = "{\"sql\": \"SELECT";
  call.args_error = "broken";
  auto request = TestRequest().human("q").ai("", {call}).tool("t1", "no", ToolStatus::Error);
  EXPECT_EQ(written(request)["messages"][1]["content"][0]["input"], json::object());
}

TEST_F(AnthropicRequest, WritesTheModelsSettings) {
  provider_.api_version = "2023-06-01";
  provider_.streaming = false;
  model_.temperature = 0.25;
  model_.thinking = ThinkingConfig{ThinkingMode::Enabled, 2048};
  model_.effort = "high";
  model_.parallel_tool_calls = false;
  auto request = TestRequest().with_tool().human("q");
  request.fields().max_output_tokens = 3'000;
  const json body = written(request);
  EXPECT_EQ(body["max_tokens"], 3'000);
  EXPECT_FALSE(body.contains("stream"));
  EXPECT_EQ(body["temperature"], 0.25);
  EXPECT_EQ(body["thinking"], json::parse(R"({"type":"enabled","budget_tokens":2048})"));
  EXPECT_EQ(body["output_config"], json::parse(R"({"effort":"high"})"));
  EXPECT_EQ(body["tool_choice"],
            json::parse(R"({"type":"auto","disable_parallel_tool_use":true})"));
}

/// As a summary is asked for, of a model that thinks.
TEST_F(AnthropicRequest, AReplyThatIsShorterThanTheBudgetOfThinkingIsAskedForWithoutIt) {
  model_.thinking = ThinkingConfig{ThinkingMode::Enabled, 2048};
  auto request = TestRequest().human("q");
  for (const std::int64_t too_few : {500, 2048}) {
    request.fields().max_output_tokens = too_few;
    EXPECT_FALSE(written(request).contains("thinking")) << too_few;
  }
  request.fields().max_output_tokens = 2049;
  EXPECT_TRUE(written(request).contains("thinking"));
  model_.thinking = ThinkingConfig{ThinkingMode::Adaptive, 0};
  request.fields().max_output_tokens = 500;
  EXPECT_TRUE(written(request).contains("thinking")) << "without a budget";
}

/// As when a skill has switched models. "Expected `thinking` or `redacted_thinking`, but found
/// `tool_use`", says the provider, and without the setting that thinking can't be there.
TEST_F(AnthropicRequest, ATurnThatBeganWithoutThinkingGoesOnWithoutIt) {
  model_.thinking = ThinkingConfig{ThinkingMode::Enabled, 1024};
  const auto block = [](const std::string& id) {
    return R"({"type":"tool_use","id":")" + id + R"(","name":"n","input":{}})";
  };
  const std::string thought = R"({"type":"thinking","thinking":"hm","signature":"Eq=="},)";
  const auto reply = [&](const std::string& id, const std::string& thoughts) {
    AiMessage message;
    message.tool_calls = {tool_call(id)};
    message.extra = ProviderExtra{"anthropic/p", "[" + thoughts + block(id) + "]"};
    return message;
  };
  const auto sent = [&](const AiMessage& first, const AiMessage& second) {
    auto request = TestRequest().human("q").ai(first).tool("a", "1").ai(second).tool("b", "2");
    request.fields().max_output_tokens = 3'000;
    return written(request);
  };
  EXPECT_TRUE(sent(reply("a", thought), reply("b", "")).contains("thinking"));
  const json without = sent(reply("a", ""), reply("b", thought));
  EXPECT_FALSE(without.contains("thinking"));
  EXPECT_EQ(without["messages"].dump().find("hm"), std::string::npos);
  AiMessage foreign = reply("a", "");
  foreign.extra.reset();
  EXPECT_FALSE(sent(foreign, reply("b", "")).contains("thinking"));
  auto next = TestRequest().human("q").ai(foreign).tool("a", "1").ai("done").human("r");
  next.fields().max_output_tokens = 3'000;
  EXPECT_TRUE(written(next).contains("thinking")) << "that turn is over";
  model_.thinking->budget_tokens = 8'000;
  auto shorter = TestRequest().human("q").ai(reply("a", thought)).tool("a", "1");
  shorter.fields().max_output_tokens = 4'000;
  EXPECT_FALSE(written(shorter).contains("thinking"));
  EXPECT_EQ(written(shorter)["messages"].dump().find("hm"), std::string::npos);
}

TEST_F(AnthropicRequest, WhatCanNotBeSentIsNotThoughtOfAgain) {
  model_.thinking = ThinkingConfig{ThinkingMode::Enabled, 1024};
  AiMessage reply;
  reply.tool_calls = {tool_call("a")};
  reply.extra =
      ProviderExtra{"anthropic/p", R"([{"type":"thinking","thinking":"hm","signature":"Eq=="},)"
                                   R"({"type":"tool_use","id":"a","name":"n","input":{}}])"};
  auto request = TestRequest().human(R"(,"thinking":{"type":"enabled"})").ai(reply).tool("a", "1");
  request.fields().max_output_tokens = 3'000;
  const std::string sent = *body(request);
  ASSERT_TRUE(json::parse(sent).contains("thinking"));
  const json stripped = json::parse(without_thinking(sent));
  EXPECT_FALSE(stripped.contains("thinking"));
  EXPECT_EQ(stripped["messages"][0], json::parse(sent)["messages"][0]);
}

TEST_P(AnthropicRequestOfAny, RefusesAHistoryThatIsNotValid) {
  auto open = TestRequest().human("q").ai("", {tool_call("t1")}).human("r");
  const auto refused = body(open);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_NE(refused.error().message.find("messages[1].tool_calls[0]"), std::string::npos);
  auto broken = TestRequest().human("a\xff");
  EXPECT_FALSE(body(broken));
  AiMessage message;
  message.extra = ProviderExtra{"anthropic/p", "{}"};
  auto extra = TestRequest().human("q").ai(message).human("r");
  EXPECT_FALSE(body(extra));
}

TEST_P(AnthropicRequestOfAny, CanLeaveAllThinkingOut) {
  AiMessage only_thinking;
  only_thinking.extra =
      ProviderExtra{"anthropic/p", R"([{"type":"thinking","thinking":"","signature":"a"}])"};
  AiMessage mixed;
  mixed.text = "b";
  mixed.extra = ProviderExtra{
      "anthropic/p", R"([{"type":"redacted_thinking","data":"x"},{"type":"text","text":"b"}])"};
  auto request = TestRequest().human("q").ai(only_thinking).human("r").ai(mixed).human("s");
  const std::string sent = *body(request);
  const json stripped = json::parse(without_thinking(sent));
  EXPECT_EQ(stripped["messages"], json::parse(R"([
    {"role":"user","content":[{"type":"text","text":"q"},{"type":"text","text":"r"}]},
    {"role":"assistant","content":[{"type":"text","text":"b"}]},
    {"role":"user","content":[{"type":"text","text":"s"}]}])"));
  EXPECT_EQ(stripped["system"], json::parse(sent)["system"]);
  Error bound;
  bound.message =
      "HTTP 400: Invalid `signature` in `thinking` block. The block is bound to a "
      "different conversation.";
  EXPECT_TRUE(protocol().repaired_body(bound, sent));
  EXPECT_FALSE(protocol().repaired_body(bound, without_thinking(sent)));
  EXPECT_FALSE(protocol().repaired_body(Error{}, sent));
}

TEST_F(AnthropicRequest, SendsTheKeyAsTheVersionWantsIt) {
  provider_.api_key = Secret("sk-1");
  const auto header = [&](std::string_view name) -> std::string {
    for (const auto& [key, value] : protocol().headers(provider_))
      if (key == name) return value.reveal();
    return "";
  };
  EXPECT_EQ(header("anthropic-version"), "2026-10-21");
  EXPECT_EQ(header("authorization"), "Bearer sk-1");
  EXPECT_EQ(header("x-api-key"), "");
  provider_.api_version = "2027-01-15";
  EXPECT_EQ(header("authorization"), "Bearer sk-1");
  provider_.api_version = "2023-06-01";
  EXPECT_EQ(header("authorization"), "");
  EXPECT_EQ(header("x-api-key"), "sk-1");
  EXPECT_EQ(protocol().url(provider_), "http://127.0.0.1:1/v1/messages");
}

}  // namespace
}  // namespace ba::llm
