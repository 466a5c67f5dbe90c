// SPDX-License-Identifier: Apache-2.0
// Models that call tools in their text: what they are told, and what is read of what they say.
#include "tests/worker/llm/openai_chat_fixture.hpp"
#include "worker/llm/react_text/react_reply.hpp"

namespace ba::llm {
namespace {

using nlohmann::json;

class ReactText : public OpenaiChatFixture {
 protected:
  ReactText() { model_.tool_calling = ToolCalling::Text; }

  ProtocolContext place() const { return {provider_, model_, limits_, place_}; }
  Result<ProtocolReply> said(const std::string& text, const std::string& finish = "stop") const {
    return protocol().read_reply(completion(json{{"content", text}}.dump(), finish), place());
  }
  void expect_unreadable(const std::string& text, const std::string& part) const {
    expect_malformed(said(text), part);
  }

  ReplyPlace place_{2, 3, true};
};

TEST_F(ReactText, ReadsAThoughtAndAnAction) {
  const auto result = said("Thought: I need the number.\nAction: query_database {\"sql\": \"x\"}");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reply.stop, StopReason::ToolUse);
  const AiMessage& message = result->reply.message;
  EXPECT_EQ(message.text, "I need the number.");
  ASSERT_EQ(message.tool_calls.size(), 1U);
  EXPECT_EQ(message.tool_calls[0].id.value, "call_2_3_0");
  EXPECT_EQ(message.tool_calls[0].name, "query_database");
  EXPECT_EQ(message.tool_calls[0].args_json, R"({"sql": "x"})");
}

TEST_F(ReactText, ReadsAFinalAnswer) {
  const auto result = said("Thought: Done.\nFinal Answer: 42,\nor so.\nAction: is not meant.\n");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reply.stop, StopReason::EndTurn);
  EXPECT_EQ(result->reply.message.text, "42,\nor so.\nAction: is not meant.");
  EXPECT_EQ(result->reply.message.thinking, "Done.");
  EXPECT_TRUE(result->reply.message.tool_calls.empty());
  EXPECT_EQ(said("Final Answer: 42")->reply.message.text, "42");
}

TEST_F(ReactText, CutsWhatTheModelInventsFromAnObservationOn) {
  const auto call =
      said("Thought: a\nAction: q {}\nObservation: 7 rows\nThought: b\nFinal Answer: Seven.");
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->reply.stop, StopReason::ToolUse);
  EXPECT_EQ(call->reply.message.text, "a");
  EXPECT_EQ(call->reply.message.tool_calls.size(), 1U);
  EXPECT_EQ(said("Final Answer: 7\n Observation: 8")->reply.message.text, "7");
  expect_unreadable("Observation: 8\nFinal Answer: 8", "neither");
}

TEST_F(ReactText, TakesALabelBehindAThoughtsForWhatItSays) {
  const auto call = said("Thought: Thought: a\nThought: Action: q {}\nThought:Observation: 7");
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->reply.message.text, "a");
  ASSERT_EQ(call->reply.message.tool_calls.size(), 1U);
  EXPECT_EQ(call->reply.message.tool_calls[0].name, "q");
  EXPECT_EQ(said("Thought: Final Answer: Thought: 7")->reply.message.text, "Thought: 7");
  expect_unreadable("Action: Thought: a", "not one JSON object");
}

TEST_F(ReactText, NumbersSeveralActions) {
  const auto result =
      said("Action: a {\"x\": {\n  \"y\": 1}\n}\nThought: and\nAction: b\nAction: c{}");
  ASSERT_TRUE(result) << result.error().message;
  const auto& calls = result->reply.message.tool_calls;
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].args_json, "{\"x\": {\n  \"y\": 1}\n}");
  EXPECT_EQ(calls[1].args_json, "{}");
  EXPECT_EQ(calls[2].name, "c");
  EXPECT_EQ(calls[2].id.value, "call_2_3_2");
  EXPECT_EQ(result->reply.message.text, "and");
}

TEST_F(ReactText, RefusesWhatItCanNotRead) {
  expect_unreadable("", "neither");
  expect_unreadable("Thought: hm", "neither");
  expect_unreadable("It is 42.", "without a label");
  expect_unreadable("Sure!\nAction: q {}", "without a label");
  expect_unreadable("thought: a\nAction: q {}", "without a label");
  expect_unreadable("Action: q {}\nFinal Answer: 1", "both");
  expect_unreadable("Action:", "names no tool");
  expect_unreadable("Action: {\"a\": 1}", "names no tool");
  expect_unreadable("Action: q [1]", "not one JSON object");
  expect_unreadable("Action: q {\"a\": 1} and then some", "not one JSON object");
  expect_unreadable("Action: q {\"a\": ", "not one JSON object");
  expect_unreadable("Action: q\n```json\n{}\n```", "not one JSON object");
  limits_.tool_calls_max = 1;
  expect_unreadable("Action: a\nAction: b", "tool_calls_max");
}

TEST_F(ReactText, KeepsOfACutReplyWhatThereIs) {
  const auto thought = said("Thought: it may be", "length");
  ASSERT_TRUE(thought);
  EXPECT_EQ(thought->reply.stop, StopReason::MaxTokens);
  EXPECT_EQ(thought->reply.message.text, "") << "a thought is no answer";
  EXPECT_EQ(thought->reply.message.thinking, "it may be");
  EXPECT_EQ(said("Thou", "length")->reply.message.thinking, "Thou");
  EXPECT_EQ(said("Final Answer: It is", "length")->reply.message.text, "It is");
  const auto call = said("Thought: a\nAction: q {\"sql\": \"SEL", "length");
  EXPECT_EQ(call->reply.stop, StopReason::MaxTokens);
  ASSERT_EQ(call->reply.message.tool_calls.size(), 1U);
  EXPECT_FALSE(call->reply.message.tool_calls[0].valid());
  EXPECT_TRUE(said("Thought: a\nAction:", "length")->reply.message.tool_calls.empty());
}

TEST_F(ReactText, LeavesOtherRepliesAlone) {
  EXPECT_EQ(said("No.", "content_filter")->reply.stop, StopReason::Refusal);
  expect_malformed(said("x", "odd"), "odd");
  const auto native =
      protocol().read_reply(completion(with_calls(call("c1", "\"{}\"")), "tool_calls"), place());
  EXPECT_EQ(native->reply.message.tool_calls[0].id.value, "c1") << "it can, after all";
  place_.has_tools = false;
  EXPECT_EQ(said("It is 42.")->reply.message.text, "It is 42.");
  place_.has_tools = true;
  model_.tool_calling = ToolCalling::Native;
  EXPECT_EQ(said("Action: q {}")->reply.message.text, "Action: q {}");
}

TEST_F(ReactText, ReadsTheTextBehindAThinkBlock) {
  model_.strip_think = true;
  const auto result = said("<think>Hm.</think>\nThought: so\nFinal Answer: 1");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reply.message.thinking, "Hm.\n\nso");
  EXPECT_EQ(result->reply.message.text, "1");
}

TEST_F(ReactText, ReadsAStreamAsTheWhole) {
  const std::string bytes = chunk(R"({"content":"Thought: a\nAct"})") +
                            chunk(R"({"content":"ion: q {}"})") + chunk("{}", "\"stop\"");
  const auto reply = stream_in_pieces(protocol(), place(), bytes, 5);
  ASSERT_TRUE(reply) << reply.error().message;
  const AiMessage whole = said("Thought: a\nAction: q {}")->reply.message;
  EXPECT_EQ(reply->reply.message.text, whole.text);
  EXPECT_EQ(reply->reply.message.tool_calls, whole.tool_calls);
}

TEST_F(ReactText, TellsTheModelOfItsToolsAndOfWhatWasDone) {
  auto request = TestRequest()
                     .with_tool()
                     .human("How many?")
                     .ai("I look.", {tool_call("call_0_1_0"), tool_call("call_0_1_1", "{}")})
                     .tool("call_0_1_0", "7 rows")
                     .tool("call_0_1_1", "Operation failed.", ToolStatus::Error)
                     .ai("Seven.")
                     .human("Sure?")
                     .ai("", {tool_call("toolu_1")})
                     .tool("toolu_1", "7 rows");
  const json body = written(request);
  EXPECT_FALSE(body.contains("tools"));
  EXPECT_EQ(body["stop"], json::parse(R"(["\nObservation:"])"));
  const json& messages = body["messages"];
  const std::string system = messages[0]["content"];
  EXPECT_EQ(system.substr(0, 16), "You are exact.\n\n");
  for (const char* part : {"\nThought: ", "\nAction: ", "\nObservation: ", "\nFinal Answer: ",
                           "\nquery_database: Runs SQL.\n", R"("required":["sql"])"})
    EXPECT_NE(system.find(part), std::string::npos) << part;
  const json told(messages.begin() + 1, messages.end());
  EXPECT_EQ(told, json::parse(R"([
    {"role":"user","content":"How many?"},
    {"role":"assistant","content":"Thought: I look.\nAction: query_database {\"sql\":\"SELECT 1\"}\nAction: query_database {}"},
    {"role":"user","content":"Observation: 7 rows\n\nObservation: Operation failed."},
    {"role":"assistant","content":"Final Answer: Seven."},
    {"role":"user","content":"Sure?"},
    {"role":"assistant","content":"Action: query_database {\"sql\":\"SELECT 1\"}"},
    {"role":"user","content":"Observation: 7 rows"}])"));
}

TEST_F(ReactText, LeavesARequestWithoutToolsAsItIs) {
  auto request = TestRequest().human("q").ai("a").human("r");
  const json text = written(request)["messages"];
  model_.tool_calling = ToolCalling::Native;
  EXPECT_EQ(text, written(request)["messages"]);
}

TEST_F(ReactText, SaysNothingOfHiddenInstructionsAsIfTheyWereAnswers) {
  AiMessage hidden;
  hidden.text = "Follow these steps.";
  hidden.meta.additional_kwargs["isMeta"] = "true";
  auto request = TestRequest().with_tool().human("q").ai(hidden).human("r");
  EXPECT_EQ(written(request)["messages"][2]["content"], "Follow these steps.");
}

/// What was written is read as what it was.
TEST_F(ReactText, ReadsBackWhatItWrites) {
  auto request = TestRequest().with_tool().human("q").ai("Hm.", {tool_call("x"), tool_call("y")});
  request.tool("x", "1").tool("y", "2");
  const std::string text = written(request)["messages"][2]["content"];
  const auto parsed = parse_react(text);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->thought, "Hm.");
  ASSERT_EQ(parsed->actions.size(), 2U);
  EXPECT_EQ(parsed->actions[1].tool, "query_database");
  EXPECT_EQ(parsed->actions[1].arguments, R"({"sql":"SELECT 1"})");
}

TEST(ReplyPlace, FollowsTheNewestMessageThatHasAPosition) {
  const auto place = [](const std::string& round, const std::string& id) {
    HumanMessage message;
    message.meta.round_id = round;
    message.meta.message_id = MessageId(id);
    const Message stored(message);
    ModelRequest request;
    request.messages = {&stored};
    request.tools = {{"q", "", "{}"}};
    const ReplyPlace found = reply_place(request);
    EXPECT_TRUE(found.has_tools);
    return std::to_string(found.round) + "." + std::to_string(found.step);
  };
  EXPECT_EQ(place("job/2", "job/2/0"), "2.1");
  EXPECT_EQ(place("job/2", "job/2/3.2"), "2.4");
  EXPECT_EQ(place("a/b/10", "a/b/10/3"), "10.4");
  EXPECT_EQ(place("job/2", "job/2/summary"), "0.1");
  EXPECT_EQ(place("", "m0"), "0.1");
  EXPECT_EQ(place("job", "job/"), "0.1");
  EXPECT_EQ(place("job/99999999999", "job/99999999999/1"), "0.1");
}

}  // namespace
}  // namespace ba::llm
