// SPDX-License-Identifier: Apache-2.0
// POST /v1/chat/completions: what is refused, and what the replies look like.
#include "tests/scripted_model/tests/service_fixture.hpp"

namespace ba::scripted {
namespace {

constexpr const char* kScript = R"(
entries:
  - when: {prefix: look up}
    then:
      - {text: One moment., tool_calls: [{name: find, args: {a: 1}}, {name: find, args: {a: 2}}]}
      - text: "{{observation.0}} and {{observation.1}}"
  - {when: refuse, then: [{text: "no", stop: refusal}]}
  - {when: long, then: [{text: cut of, stop: max_tokens}]}
  - {when: broken, then: [{tool_calls: [{name: find, raw_args: '{"a": '}]}]}
)";

Json tools() {
  return Json::parse(R"([{"type": "function", "function": {"name": "find", "description": "finds",
      "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}}])");
}

Json request(Json messages) {
  return {{"model", "m-1"}, {"tools", tools()}, {"messages", messages}};
}

Json human(const std::string& text) { return {{"role", "user"}, {"content", text}}; }

Json result(const std::string& id, const std::string& text) {
  return {{"role", "tool"}, {"tool_call_id", id}, {"content", text}};
}

Json call(const std::string& id, Json arguments = "{}") {
  return {{"id", id},
          {"type", "function"},
          {"function", {{"name", "find"}, {"arguments", std::move(arguments)}}}};
}

Json called(Json calls) {
  return {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", std::move(calls)}};
}

class OpenAi : public ServiceFixture {
 protected:
  OpenAi() { load(kScript); }

  std::string error_for(const Json& body) {
    const Reaction reaction = openai(body);
    EXPECT_EQ(reaction.status, 400) << reaction.body;
    EXPECT_EQ(reaction.json["error"]["type"], "invalid_request_error");
    return reaction.json.contains("error") ? reaction.error() : "";
  }
  std::string error_with(const std::string& member, Json value) {
    Json body = request({human("x")});
    body[member] = std::move(value);
    return error_for(body);
  }
};

TEST_F(OpenAi, AnswersARoundWithParallelCalls) {
  Json messages = {{{"role", "system"}, {"content", "Be brief."}}, human("look up it")};
  const Reaction first = openai(request(messages));
  ASSERT_EQ(first.status, 200) << first.body;
  const Json choice = first.json["choices"][0];
  EXPECT_EQ(choice["finish_reason"], "tool_calls");
  const Json calls = choice["message"]["tool_calls"];
  EXPECT_EQ(calls[1]["function"]["arguments"], R"({"a":2})");
  messages.push_back(called(calls));
  messages.push_back(result(calls[0]["id"], "one"));
  messages.push_back(result(calls[1]["id"], "two"));
  const Reaction second = openai(request(messages));
  ASSERT_EQ(second.status, 200) << second.body;
  EXPECT_EQ(second.json["choices"][0]["message"]["content"], "one and two");
  EXPECT_EQ(second.json["choices"][0]["finish_reason"], "stop");
  const Json usage = second.json["usage"];
  EXPECT_EQ(usage["total_tokens"],
            usage["prompt_tokens"].get<int>() + usage["completion_tokens"].get<int>());
}

TEST_F(OpenAi, EveryCallIsAnsweredOnceInOrderBeforeAnythingElse) {
  const auto error = [&](Json more) {
    Json messages = {human("x"), called({call("a"), call("b")})};
    for (const Json& message : more) messages.push_back(message);
    return error_with("messages", messages);
  };
  EXPECT_NE(error(Json::array()).find("did not have response messages: a"), std::string::npos);
  EXPECT_NE(error({result("a", "1"), human("y")}).find("did not have response messages: b"),
            std::string::npos);
  EXPECT_NE(error({result("b", "1"), result("a", "1")}).find("out of order"), std::string::npos);
  EXPECT_NE(error({result("a", "1"), result("a", "1")}).find("answered twice"), std::string::npos);
  EXPECT_NE(error({result("c", "1")}).find("must be a response"), std::string::npos);
  EXPECT_NE(error_with("messages", {human("x"), result("a", "1")}).find("must be a response"),
            std::string::npos);
}

TEST_F(OpenAi, RefusesBadCalls) {
  const auto error = [&](Json bad) {
    return error_with("messages", {human("x"), called({std::move(bad)}), result("a", "1")});
  };
  EXPECT_EQ(error(call("a", Json::object())),
            "Invalid value for 'messages[1].tool_calls[0].function.arguments': expected a string "
            "of JSON");
  EXPECT_NE(error(call("a", "[1]")).find("JSON text of an object"), std::string::npos);
  EXPECT_NE(error(call("a", "{\"a\"")).find("JSON text of an object"), std::string::npos);
  Json untyped = call("a");
  untyped.erase("type");
  EXPECT_NE(error(untyped).find("tool_calls[0].type"), std::string::npos);
  EXPECT_NE(error_with("messages", {human("x"), called(Json::array())}).find("too short"),
            std::string::npos);
  EXPECT_NE(error_with("messages", {human("x"), called({call("a"), call("a")})}).find("unique"),
            std::string::npos);
}

TEST_F(OpenAi, RefusesFormsOfAnswersThatItCannotHoldTo) {
  const auto error = [&](Json schema, bool strict) {
    return error_with(
        "response_format",
        {{"type", "json_schema"},
         {"json_schema", {{"name", "answer"}, {"schema", std::move(schema)}, {"strict", strict}}}});
  };
  const Json open = {{"type", "object"}, {"properties", {{"a", {{"type", "string"}}}}}};
  EXPECT_NE(error(open, true).find("additionalProperties"), std::string::npos);
  Json optional = open;
  optional["additionalProperties"] = false;
  EXPECT_NE(error(optional, true).find("every key"), std::string::npos);
  Json request_body = request({human("look up it")});
  request_body["response_format"] = {{"type", "json_schema"},
                                     {"json_schema", {{"name", "answer"}, {"schema", open}}}};
  EXPECT_EQ(openai(request_body).status, 200);
  EXPECT_NE(error_with("response_format", {{"type", "xml"}}).find("json_schema"),
            std::string::npos);
}

TEST_F(OpenAi, RefusesBadOptions) {
  EXPECT_EQ(error_with("foo", 1), "Unrecognized request argument supplied: foo");
  EXPECT_EQ(error_with("system", "x"), "Unrecognized request argument supplied: system");
  EXPECT_NE(error_with("stream_options", {{"include_usage", true}}).find("'stream' is true"),
            std::string::npos);
  EXPECT_NE(error_with("max_tokens", 0).find("max_tokens"), std::string::npos);
  EXPECT_NE(error_with("temperature", 3).find("temperature"), std::string::npos);
  EXPECT_NE(error_with("tools", Json::array()).find("empty array"), std::string::npos);
  Json both = request({human("x")});
  both["max_tokens"] = both["max_completion_tokens"] = 5;
  EXPECT_NE(error_for(both).find("at the same time"), std::string::npos);
  Json twice = tools();
  twice.push_back(twice[0]);
  EXPECT_NE(error_with("tools", twice).find("unique"), std::string::npos);
}

TEST_F(OpenAi, RefusesBadMessages) {
  EXPECT_NE(error_with("messages", Json::array()).find("empty array"), std::string::npos);
  EXPECT_NE(error_with("messages", {{{"role", "human"}, {"content", "x"}}}).find("role"),
            std::string::npos);
  EXPECT_EQ(error_with("messages", {{{"role", "user"}, {"content", "x"}, {"id", "i"}}}),
            "Unknown parameter: 'messages[0].id'.");
  EXPECT_NE(error_with("messages", {human("x"), {{"role", "assistant"}, {"content", nullptr}}})
                .find("messages[1].content"),
            std::string::npos);
  EXPECT_NE(error_with("messages", {human("x"), {{"role", "assistant"}, {"content", "y"}}})
                .find("last message"),
            std::string::npos);
}

TEST_F(OpenAi, TheKeyIsCheckedWhenOneIsSet) {
  load(kScript, {.api_key = "k", .delay = {}, .event_delay = {}, .bench = {}});
  const Reaction refused = openai(request({human("x")}));
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.json["error"]["code"], "invalid_api_key");
  headers_.authorization = "Bearer k";
  EXPECT_EQ(openai(request({human("x")})).status, 200);
}

TEST_F(OpenAi, SaysWhyItStopped) {
  const Json refused = openai(request({human("refuse")})).json["choices"][0];
  EXPECT_EQ(refused["message"]["refusal"], "no");
  EXPECT_TRUE(refused["message"]["content"].is_null());
  EXPECT_EQ(openai(request({human("long")})).json["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(openai(request({human("broken")}))
                .json["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"],
            "{\"a\": ");
}

TEST_F(OpenAi, StreamsTheSameCompletion) {
  Json body = request({human("look up it")});
  const Json whole = openai(body).json;
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
  const std::string stream = openai(body).body;
  std::string text;
  std::vector<std::string> arguments(2);
  Json usage;
  Json finish;
  for (std::size_t at = 0; (at = stream.find("data: {", at)) != std::string::npos; ++at) {
    const Json chunk = Json::parse(stream.substr(at + 6, stream.find('\n', at) - at - 6));
    usage = chunk["usage"];
    if (chunk["choices"].empty()) continue;
    const Json& delta = chunk["choices"][0]["delta"];
    finish = chunk["choices"][0]["finish_reason"];
    text += delta.value("content", "");
    for (const Json& part : delta.value("tool_calls", Json::array())) {
      arguments[part["index"].get<std::size_t>()] += part["function"].value("arguments", "");
    }
  }
  EXPECT_EQ(text, "One moment.");
  EXPECT_EQ(arguments, (std::vector<std::string>{R"({"a":1})", R"({"a":2})"}));
  EXPECT_EQ(usage, whole["usage"]);
  EXPECT_EQ(finish, "tool_calls");
  EXPECT_NE(stream.find("data: [DONE]"), std::string::npos);
}

}  // namespace
}  // namespace ba::scripted
