// SPDX-License-Identifier: Apache-2.0
// POST /v1/messages: what is refused, and what the replies look like.
#include "tests/scripted_model/tests/service_fixture.hpp"

namespace ba::scripted {
namespace {

constexpr const char* kScript = R"(
entries:
  - when: {prefix: look up}
    then:
      - thinking: Let me see.
        text: One moment.
        tool_calls: [{name: find, args: {a: 1}}, {name: find, args: {a: 2}}]
      - text: "{{observation.0}} and {{observation.1}}"
  - {when: refuse, then: [{text: no, stop: refusal}]}
  - {when: broken, then: [{tool_calls: [{name: find, raw_args: '{"a": '}]}]}
)";

Json tools() {
  return Json::parse(R"([{"name": "find", "description": "finds",
      "input_schema": {"type": "object", "properties": {"a": {"type": "integer"}}}}])");
}

Json request(Json messages) {
  return {{"model", "m-1"}, {"max_tokens", 100}, {"tools", tools()}, {"messages", messages}};
}

Json human(const std::string& text) { return {{"role", "user"}, {"content", text}}; }

Json result(const std::string& id, const std::string& text) {
  return {{"type", "tool_result"}, {"tool_use_id", id}, {"content", text}};
}

Json called(std::vector<std::string> ids) {
  Json content = Json::array();
  for (const std::string& id : ids) {
    content.push_back(
        {{"type", "tool_use"}, {"id", id}, {"name", "find"}, {"input", Json::object()}});
  }
  return {{"role", "assistant"}, {"content", content}};
}

class Anthropic : public ServiceFixture {
 protected:
  Anthropic() { load(kScript); }

  std::string error_for(const Json& body) {
    const Reaction reaction = anthropic(body);
    EXPECT_EQ(reaction.status, 400) << reaction.body;
    EXPECT_EQ(reaction.json.at("type"), "error");
    return reaction.error();
  }
  std::string error_with(const std::string& member, Json value) {
    Json body = request({human("x")});
    body[member] = std::move(value);
    return error_for(body);
  }
};

TEST_F(Anthropic, AnswersARoundWithThinkingAndParallelCalls) {
  Json messages = {human("look up it")};
  const Reaction first = anthropic(request(messages));
  ASSERT_EQ(first.status, 200) << first.body;
  const Json content = first.json["content"];
  EXPECT_EQ(first.json["stop_reason"], "tool_use");
  ASSERT_EQ(content.size(), 4U);
  EXPECT_EQ(content[0]["thinking"], "Let me see.");
  EXPECT_EQ(content[1], Json({{"type", "text"}, {"text", "One moment."}}));
  EXPECT_EQ(content[3]["input"], Json({{"a", 2}}));
  EXPECT_NE(content[2]["id"], content[3]["id"]);
  EXPECT_TRUE(content[2]["id"].get<std::string>().starts_with("toolu_"));

  messages.push_back({{"role", "assistant"}, {"content", content}});
  messages.push_back(
      {{"role", "user"},
       {"content", {result(content[2]["id"], "one"), result(content[3]["id"], "two")}}});
  const Reaction second = anthropic(request(messages));
  ASSERT_EQ(second.status, 200) << second.body;
  EXPECT_EQ(second.json["content"][0]["text"], "one and two");
  EXPECT_EQ(second.json["stop_reason"], "end_turn");
  EXPECT_GT(second.json["usage"]["input_tokens"], first.json["usage"]["input_tokens"]);

  EXPECT_EQ(anthropic(request(messages)).body, second.body);  // the same request, the same reply
  const Json counted = counts();
  EXPECT_EQ(counted["accepted"], 3);
  EXPECT_EQ(counted["questions"]["look up it"]["by_step"], Json({1, 2}));
}

TEST_F(Anthropic, ThinkingMustComeBackUnchangedAndInItsPlace) {
  const Json content = anthropic(request({human("look up it")})).json["content"];
  const Json results = {
      {"role", "user"},
      {"content", {result(content[2]["id"], "one"), result(content[3]["id"], "two")}}};
  const auto with = [&](const Json& blocks, const std::string& question) {
    return request({human(question), {{"role", "assistant"}, {"content", blocks}}, results});
  };
  EXPECT_EQ(anthropic(with(content, "look up it")).status, 200);
  Json changed = content;
  changed[0]["thinking"] = "Let me see!";
  EXPECT_EQ(error_for(with(changed, "look up it")),
            "messages.1.content.0: Invalid `signature` in `thinking` block");
  EXPECT_NE(error_for(with(content, "look up that")).find("bound to a different conversation"),
            std::string::npos);
  changed = content;
  changed.erase(0);
  EXPECT_NE(error_for(with(changed, "look up it")).find("must start with a thinking block"),
            std::string::npos);
}

TEST_F(Anthropic, CacheMarksDoNotChangeWhatThinkingIsBoundTo) {
  Json body = request({human("look up it")});
  const Json content = anthropic(body).json["content"];
  Json marked = {{"type", "text"}, {"text", "look up it"}};
  marked["cache_control"] = {{"type", "ephemeral"}};
  body["messages"] = {
      {{"role", "user"}, {"content", {marked}}},
      {{"role", "assistant"}, {"content", content}},
      {{"role", "user"},
       {"content", {result(content[2]["id"], "one"), result(content[3]["id"], "two")}}}};
  EXPECT_EQ(anthropic(body).status, 200);
}

TEST_F(Anthropic, HeadersAreChecked) {
  const Json body = request({human("x")});
  headers_.anthropic_version = "";
  EXPECT_EQ(error_for(body), "anthropic-version: header is required");
  headers_.anthropic_version = "2024-01-01";
  EXPECT_NE(error_for(body).find("not a valid version"), std::string::npos);
  headers_.anthropic_version = "2023-06-01";
  headers_.content_type = "text/plain";
  EXPECT_EQ(error_for(body), "content-type: must be application/json");
  headers_.content_type = "application/json; charset=utf-8";
  EXPECT_EQ(anthropic(body).status, 200);
  headers_.api_key = "k";
  headers_.authorization = "Bearer k";
  EXPECT_NE(error_for(body).find("together"), std::string::npos);
}

TEST_F(Anthropic, TheKeyIsCheckedWhenOneIsSet) {
  load(kScript, {.api_key = "k", .delay = {}, .event_delay = {}, .bench = {}});
  const Json body = request({human("x")});
  const Reaction refused = anthropic(body);
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.json["error"]["type"], "authentication_error");
  headers_.api_key = "k";
  EXPECT_EQ(anthropic(body).status, 200);
  headers_.api_key = "";
  headers_.authorization = "Bearer k";
  EXPECT_EQ(anthropic(body).status, 200);
}

TEST_F(Anthropic, SamplingBelongsToTheOldVersionOnly) {
  EXPECT_EQ(error_with("temperature", 1), "temperature: Extra inputs are not permitted");
  EXPECT_EQ(error_with("top_p", 1), "top_p: Extra inputs are not permitted");
  headers_.anthropic_version = "2023-06-01";
  Json body = request({human("x")});
  body["temperature"] = 0;
  EXPECT_EQ(anthropic(body).status, 200);
}

TEST_F(Anthropic, RefusesBadOptions) {
  EXPECT_EQ(error_with("foo", 1), "foo: Extra inputs are not permitted");
  EXPECT_EQ(error_with("output_config", {{"format", {{"type", "json_schema"}}}}),
            "output_config.format: Input should be a json_schema with a schema");
  EXPECT_EQ(error_with("output_config",
                       {{"format", {{"type", "json_schema"}, {"schema", {{"type", "object"}}}}}}),
            "output_config.format.schema: 'additionalProperties' is required to be supplied and to "
            "be false");
  EXPECT_EQ(error_with("max_tokens", 0), "max_tokens: Input should be greater than or equal to 1");
  EXPECT_EQ(error_with("stream", "yes"), "stream: Input should be a valid boolean");
  EXPECT_EQ(error_with("model", ""), "model: Input should be a valid string");
  EXPECT_EQ(error_with("system", " "), "system: text content must not be blank");
  EXPECT_NE(error_with("tool_choice", {{"type", "tool"}, {"name", "x"}}).find("not found"),
            std::string::npos);
  EXPECT_NE(error_with("thinking", {{"type", "enabled"}, {"budget_tokens", 10}}).find("1024"),
            std::string::npos);
  Json body = request({human("x")});
  body.erase("max_tokens");
  EXPECT_EQ(error_for(body), "max_tokens: Field required");
  EXPECT_EQ(post("/v1/messages", "{\"a\":1,}").status, 400);
  EXPECT_EQ(post("/v1/messages", R"({"model":"m","model":"m"})").error(),
            "model: Extra inputs are not permitted");
}

TEST_F(Anthropic, RefusesBadTools) {
  Json twice = {tools()[0], tools()[0]};
  EXPECT_EQ(error_with("tools", twice), "tools: Tool names must be unique.");
  Json tool = tools();
  tool[0]["name"] = "find it";
  EXPECT_NE(error_with("tools", tool).find("tools.0.name: String should match"), std::string::npos);
  tool = tools();
  tool[0].erase("input_schema");
  EXPECT_EQ(error_with("tools", tool), "tools.0.input_schema: Field required");
  tool = tools();
  tool[0]["input_schema"]["type"] = "string";
  EXPECT_EQ(error_with("tools", tool), "tools.0.input_schema.type: Input should be 'object'");
  tool = tools();
  tool[0]["input_schema"]["properties"]["a"]["type"] = "text";
  EXPECT_NE(error_with("tools", tool).find("properties.a.type: JSON schema is invalid"),
            std::string::npos);
  for (const char* key : {"oneOf", "allOf", "anyOf"}) {
    tool = tools();
    tool[0]["input_schema"][key] = {{{"required", {"a"}}}};
    EXPECT_EQ(error_with("tools", tool),
              "tools.0.input_schema: input_schema does not support oneOf, allOf, or anyOf at the "
              "top level");
  }
  tool = tools();
  tool[0]["input_schema"]["properties"]["$top"] = Json::object();
  EXPECT_EQ(error_with("tools", tool),
            "tools.0.input_schema.properties: Property keys should match pattern "
            "'^[a-zA-Z0-9_.-]{1,64}$'");
  tool = tools();
  tool[0]["parameters"] = Json::object();
  EXPECT_EQ(error_with("tools", tool), "tools.0.parameters: Extra inputs are not permitted");
}

TEST_F(Anthropic, RefusesBadMessages) {
  EXPECT_EQ(error_with("messages", Json::array()), "messages: at least one message is required");
  EXPECT_EQ(error_with("messages", {called({"a"})}),
            "messages.0: the first message must have the role 'user'");
  EXPECT_EQ(error_with("messages", {human("")}),
            "messages.0: all messages must have non-empty content");
  EXPECT_EQ(error_with("messages", {{{"role", "system"}, {"content", "x"}}}),
            "messages.0.role: Input should be 'user' or 'assistant'");
  EXPECT_EQ(error_with("messages", {{{"role", "user"}, {"content", "x"}, {"name", "n"}}}),
            "messages.0.name: Extra inputs are not permitted");
  const Json said = {{"role", "assistant"}, {"content", "y"}};
  EXPECT_NE(error_with("messages", {human("x"), said, said}).find("two 'assistant'"),
            std::string::npos);
  EXPECT_NE(error_with("messages", {human("x"), said}).find("prefill"), std::string::npos);
  const Json image = {{"role", "user"}, {"content", {{{"type", "image"}}}}};
  EXPECT_NE(error_with("messages", {image}).find("Input tag 'image'"), std::string::npos);
}

TEST_F(Anthropic, EveryCallIsAnsweredOnceInOrderBeforeAnythingElse) {
  const auto error = [&](const std::vector<std::string>& calls, Json answer) {
    return error_with(
        "messages",
        {human("x"), called(calls), {{"role", "user"}, {"content", std::move(answer)}}});
  };
  EXPECT_NE(error({"a"}, "text").find("without `tool_result` blocks immediately after: a"),
            std::string::npos);
  EXPECT_NE(error({"a", "b"}, {result("a", "1")}).find("immediately after: b"), std::string::npos);
  EXPECT_NE(error({"a", "b"}, {result("b", "1"), result("a", "1")}).find("out of order"),
            std::string::npos);
  EXPECT_NE(error({"a"}, {result("a", "1"), result("a", "1")}).find("multiple `tool_result`"),
            std::string::npos);
  EXPECT_NE(error({"a"}, {result("a", "1"), result("z", "1")}).find("unexpected `tool_use_id`"),
            std::string::npos);
  EXPECT_NE(
      error({"a"}, {{{"type", "text"}, {"text", "t"}}, result("a", "1")}).find("before any text"),
      std::string::npos);
  EXPECT_NE(error({"a", "a"}, {result("a", "1")}).find("`tool_use` ids must be unique"),
            std::string::npos);
  Json body =
      request({human("x"), called({"a"}), {{"role", "user"}, {"content", {result("a", "1")}}}});
  EXPECT_EQ(anthropic(body).status, 200);
  body.erase("tools");
  EXPECT_NE(error_for(body).find("must define tools"), std::string::npos);
}

TEST_F(Anthropic, TheLastTextOfAMergedMessageIsTheQuestion) {
  const auto text = [](const char* what) { return Json{{"type", "text"}, {"text", what}}; };
  Json messages = {{{"role", "user"}, {"content", {text("broken"), text("refuse")}}}};
  EXPECT_EQ(anthropic(request(messages)).json["stop_reason"], "refusal");
  messages = {human("x"),
              called({"a"}),
              {{"role", "user"}, {"content", {result("a", "1"), text("refuse")}}}};
  EXPECT_EQ(anthropic(request(messages)).json["stop_reason"], "refusal");
}

TEST_F(Anthropic, AtMostFourCacheMarks) {
  Json block = {{"type", "text"}, {"text", "x"}, {"cache_control", {{"type", "ephemeral"}}}};
  Json body = request({{{"role", "user"}, {"content", {block, block, block, block}}}});
  EXPECT_EQ(anthropic(body).status, 200);
  body["messages"][0]["content"].push_back(block);
  EXPECT_NE(error_for(body).find("A maximum of 4 blocks"), std::string::npos);
}

TEST_F(Anthropic, RefusalsCarryTheirDetails) {
  const Reaction reaction = anthropic(request({human("refuse")}));
  EXPECT_EQ(reaction.json["stop_reason"], "refusal");
  EXPECT_EQ(reaction.json["stop_details"]["explanation"], "no");
}

TEST_F(Anthropic, StreamsTheSameMessage) {
  Json body = request({human("look up it")});
  const Json whole = anthropic(body).json;
  body["stream"] = true;
  const std::string stream = anthropic(body).body;
  std::string partial;
  std::string thinking;
  Json last_usage;
  std::vector<std::string> types;
  for (std::size_t at = 0; (at = stream.find("data: ", at)) != std::string::npos; ++at) {
    const Json event = Json::parse(stream.substr(at + 6, stream.find('\n', at) - at - 6));
    types.push_back(event["type"]);
    if (types.back() == "message_delta") last_usage = event["usage"];
    if (types.back() != "content_block_delta") continue;
    const Json& delta = event["delta"];
    if (event["index"] == 3) partial += delta.value("partial_json", "");
    thinking += delta.value("thinking", "");
  }
  EXPECT_EQ(types.front(), "message_start");
  EXPECT_EQ(types.back(), "message_stop");
  EXPECT_EQ(Json::parse(partial), whole["content"][3]["input"]);
  EXPECT_EQ(thinking, "Let me see.");
  EXPECT_EQ(last_usage, whole["usage"]);
  EXPECT_GT(answer_.bytes.find("Transfer-Encoding: chunked"), 0U);
}

TEST_F(Anthropic, BrokenArgumentsAreNoObject) {
  const Reaction reaction = anthropic(request({human("broken")}));
  EXPECT_EQ(reaction.json["content"][0]["input"], "{\"a\": ");
}

}  // namespace
}  // namespace ba::scripted
