// SPDX-License-Identifier: Apache-2.0
// POST /v1/responses: what is refused, and what the replies look like.
#include "tests/scripted_model/tests/service_fixture.hpp"

namespace ba::scripted {
namespace {

constexpr const char* kScript = R"(
entries:
  - when: {prefix: look up}
    then:
      - {text: One moment., tool_calls: [{name: find, args: {a: 1}}, {name: find, args: {a: 2}}]}
      - text: "{{observation.0}} and {{observation.1}}"
  - when: think
    then:
      - {thinking: "Where is it?", tool_calls: [{name: find, args: {a: 1}}]}
      - {thinking: "", text: "{{observation.-1}}"}
  - when: and again
    then: [{text: "as {{earlier.-1.answer}}"}]
  - {when: refuse, then: [{text: "no", stop: refusal}]}
  - {when: long, then: [{text: cut of, stop: max_tokens}]}
  - {when: broken, then: [{tool_calls: [{name: find, raw_args: '{"a": '}]}]}
)";

Json human(const std::string& text) {
  return {{"type", "message"},
          {"role", "user"},
          {"content", Json::array({{{"type", "input_text"}, {"text", text}}})}};
}

Json tools() {
  return Json::parse(R"([{"type": "function", "name": "find", "description": "finds",
      "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}},
      "strict": false}])");
}

Json request(Json input) {
  return {{"model", "m-1"},
          {"store", false},
          {"include", {"reasoning.encrypted_content"}},
          {"instructions", "Be brief."},
          {"tools", tools()},
          {"input", std::move(input)}};
}

Json output(const Json& call_id, const std::string& text) {
  return {{"type", "function_call_output"}, {"call_id", call_id}, {"output", text}};
}

Json call(const std::string& id, Json arguments = "{}") {
  return {{"type", "function_call"},
          {"call_id", id},
          {"name", "find"},
          {"arguments", std::move(arguments)}};
}

class Responses : public ServiceFixture {
 protected:
  Responses() { load(kScript); }

  std::string error_for(const Json& body, int status = 400) {
    const Reaction reaction = responses(body);
    EXPECT_EQ(reaction.status, status) << reaction.body;
    return reaction.json.contains("error") ? reaction.error() : "";
  }
  std::string error_with(const std::string& member, Json value) {
    Json body = request({human("x")});
    body[member] = std::move(value);
    return error_for(body);
  }
  std::string error_of(Json input) { return error_for(request(std::move(input))); }

  /// A question that makes the model think, its output, and the answer to its call.
  Json after_thinking() {
    Json input = {human("think")};
    const Reaction first = responses(request(input));
    EXPECT_EQ(first.status, 200) << first.body;
    for (const Json& item : first.json["output"]) input.push_back(item);
    input.push_back(output(input[2]["call_id"], "there"));
    return input;
  }
};

TEST_F(Responses, AnswersARoundWithParallelCalls) {
  Json input = {human("look up it")};
  const Reaction first = responses(request(input));
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(first.json["status"], "completed");
  const Json items = first.json["output"];
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0]["content"][0]["text"], "One moment.");
  EXPECT_EQ(items[2]["arguments"], R"({"a":2})");
  for (const Json& item : items) input.push_back(item);
  input.push_back(output(items[1]["call_id"], "one"));
  input.push_back(output(items[2]["call_id"], "two"));
  const Reaction second = responses(request(input));
  ASSERT_EQ(second.status, 200) << second.body;
  EXPECT_EQ(second.json["output"][0]["content"][0]["text"], "one and two");
  const Json usage = second.json["usage"];
  EXPECT_EQ(usage["total_tokens"],
            usage["input_tokens"].get<int>() + usage["output_tokens"].get<int>());
}

TEST_F(Responses, TakesReasoningBackInThisRoundAndInLaterOnes) {
  Json input = after_thinking();
  EXPECT_EQ(input[1]["type"], "reasoning");
  EXPECT_EQ(input[1]["summary"][0]["text"], "Where is it?");
  const Reaction second = responses(request(input));
  ASSERT_EQ(second.status, 200) << second.body;
  for (const Json& item : second.json["output"]) input.push_back(item);
  input.push_back(human("and again"));
  const Reaction third = responses(request(input));
  ASSERT_EQ(third.status, 200) << third.body;
  EXPECT_EQ(third.json["output"][0]["content"][0]["text"], "as there");
}

TEST_F(Responses, RefusesReasoningThatWasChanged) {
  const Json good = after_thinking();
  Json input = good;
  input[1]["summary"][0]["text"] = "Where was it?";
  const Reaction changed = responses(request(input));
  EXPECT_EQ(changed.json["error"]["code"], "invalid_encrypted_content");
  EXPECT_NE(changed.error().find("could not be verified"), std::string::npos);
  input = good;
  input[1]["encrypted_content"] = "enc-0";
  EXPECT_NE(error_of(input).find("could not be verified"), std::string::npos);
  input = good;
  input[1].erase("encrypted_content");
  EXPECT_NE(error_for(request(input), 404).find("Items are not persisted"), std::string::npos);
}

TEST_F(Responses, RefusesReasoningThatWasDroppedOrMoved) {
  const Json good = after_thinking();
  Json input = good;
  input.erase(1);
  EXPECT_NE(error_of(input).find("without its required 'reasoning' item: 'rs_"), std::string::npos);
  input[1].erase("id");
  EXPECT_NE(error_of(input).find("without its required 'reasoning' item"), std::string::npos);
  input = good;
  std::swap(input[1], input[2]);
  EXPECT_NE(error_of(input).find("without its required 'reasoning' item"), std::string::npos);
  input = good;
  input.erase(2);
  EXPECT_NE(error_of(input).find("without its required following item"), std::string::npos);
  input = good;
  input.insert(input.begin() + 2, human("look up it"));
  EXPECT_NE(error_of(input).find("without its required following item"), std::string::npos);
  input = {human("x"), good[1]};
  EXPECT_NE(error_of(input).find("without its required following item"), std::string::npos);
}

TEST_F(Responses, EveryCallIsAnsweredOnceInOrderBeforeAnythingElse) {
  const auto error = [&](const Json& more) {
    Json input = {human("x"), call("a"), call("b")};
    for (const Json& item : more) input.push_back(item);
    return error_of(input);
  };
  EXPECT_NE(error(Json::array({human("y")})).find("No tool output found for function call a"),
            std::string::npos);
  EXPECT_NE(error({output("a", "1"), human("y")}).find("function call b"), std::string::npos);
  EXPECT_NE(error({output("b", "1"), output("a", "1")}).find("out of order"), std::string::npos);
  EXPECT_NE(error({output("a", "1"), output("a", "1")}).find("answered twice"), std::string::npos);
  EXPECT_NE(error(Json::array({output("c", "1")})).find("No tool call found"), std::string::npos);
  EXPECT_NE(error({output("a", "1"), call("c"), output("b", "1")}).find("function call b"),
            std::string::npos);
  EXPECT_NE(error(Json::array({call("a")})).find("unique"), std::string::npos);
}

TEST_F(Responses, RefusesBadItems) {
  const auto error = [&](const Json& item) { return error_of({human("x"), item}); };
  EXPECT_NE(error(call("a", Json::object())).find("expected a string of JSON"), std::string::npos);
  EXPECT_NE(error(call("a", "[1]")).find("JSON text of an object"), std::string::npos);
  EXPECT_NE(error({{"type", "web_search_call"}}).find("input[1].type"), std::string::npos);
  EXPECT_NE(error({{"role", "human"}, {"content", "x"}}).find("input[1].role"), std::string::npos);
  EXPECT_EQ(error({{"role", "user"}, {"content", "x"}, {"foo", 1}}),
            "Unknown parameter: 'input[1].foo'.");
  EXPECT_NE(error({{"role", "assistant"}, {"content", "x"}}).find("last item"), std::string::npos);
  EXPECT_NE(error({{"role", "user"}, {"content", Json::array({{{"type", "text"}}})}})
                .find("input[1].content[0].type"),
            std::string::npos);
  EXPECT_NE(error_of(Json::array()).find("last item"), std::string::npos);
}

TEST_F(Responses, RefusesBadOptions) {
  EXPECT_EQ(error_with("messages", 1), "Unknown parameter: 'messages'.");
  EXPECT_EQ(error_with("previous_response_id", "resp_1"),
            "Unknown parameter: 'previous_response_id'.");
  EXPECT_NE(error_with("store", true).find("'store'"), std::string::npos);
  EXPECT_NE(error_with("include", Json::array()).find("'include'"), std::string::npos);
  EXPECT_NE(error_with("max_output_tokens", 15).find(">= 16"), std::string::npos);
  EXPECT_NE(error_with("temperature", 3).find("temperature"), std::string::npos);
  EXPECT_NE(error_with("reasoning", {{"effort", "much"}}).find("effort"), std::string::npos);
  Json both = request({human("x")});
  both["temperature"] = 1;
  both["reasoning"] = {{"effort", "none"}};
  EXPECT_EQ(responses(both).status, 200);
  both["reasoning"] = {{"effort", "low"}};
  EXPECT_NE(error_for(both).find("'temperature' is not supported"), std::string::npos);
}

TEST_F(Responses, AToolIsStrictUnlessItSaysOtherwise) {
  Json unsaid = tools();
  unsaid[0].erase("strict");
  EXPECT_NE(error_with("tools", unsaid).find("'additionalProperties' is required"),
            std::string::npos);
  unsaid[0]["parameters"]["additionalProperties"] = false;
  EXPECT_NE(error_with("tools", unsaid).find("'required' is required"), std::string::npos);
  unsaid[0]["parameters"]["required"] = {"a"};
  Json body = request({human("x")});
  body["tools"] = unsaid;
  EXPECT_EQ(responses(body).status, 200);
  Json nested = {{{"type", "function"}, {"function", tools()[0]}}};
  EXPECT_NE(error_with("tools", nested).find("Unknown parameter: 'tools[0].function'"),
            std::string::npos);
  Json twice = tools();
  twice.push_back(twice[0]);
  EXPECT_NE(error_with("tools", twice).find("unique"), std::string::npos);
}

TEST_F(Responses, RefusesSchemasAndNumbersOfToolsThatTheProviderDoesNotTake) {
  for (const char* key : {"oneOf", "allOf", "anyOf"}) {
    Json tool = tools();
    tool[0]["parameters"][key] = {{{"required", {"a"}}}};
    EXPECT_NE(error_with("tools", tool).find("at the top level"), std::string::npos) << key;
  }
  Json array = tools();
  array[0]["parameters"]["properties"]["a"] = {{"type", "array"}};
  EXPECT_NE(error_with("tools", array).find("array schema missing items"), std::string::npos);
  Json bare = tools();
  bare[0]["parameters"].erase("properties");
  EXPECT_NE(error_with("tools", bare).find("object schema missing properties"), std::string::npos);
  Json odd = request({human("x")});
  odd["tools"] = tools();
  odd["tools"][0]["parameters"]["properties"]["$top"] = Json::object();
  EXPECT_EQ(responses(odd).status, 200) << "names of properties are free here";
  Json many = Json::array();
  for (int i = 0; i < 129; ++i) {
    many.push_back(tools()[0]);
    many.back()["name"] = "t" + std::to_string(i);
  }
  EXPECT_NE(error_with("tools", many).find("maximum length 128"), std::string::npos);
}

TEST_F(Responses, TheKeyIsCheckedWhenOneIsSet) {
  load(kScript, {.api_key = "k", .delay = {}, .event_delay = {}, .bench = {}});
  const Reaction refused = responses(request({human("x")}));
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.json["error"]["code"], "invalid_api_key");
  headers_.authorization = "Bearer k";
  EXPECT_EQ(responses(request({human("x")})).status, 200);
}

TEST_F(Responses, SaysWhyItStopped) {
  const Json refused = responses(request({human("refuse")})).json;
  EXPECT_EQ(refused["status"], "completed");
  EXPECT_EQ(refused["output"][0]["content"][0]["refusal"], "no");
  const Json cut = responses(request({human("long")})).json;
  EXPECT_EQ(cut["status"], "incomplete");
  EXPECT_EQ(cut["incomplete_details"]["reason"], "max_output_tokens");
  EXPECT_EQ(cut["output"][0]["status"], "incomplete");
  EXPECT_EQ(responses(request({human("broken")})).json["output"][0]["arguments"], "{\"a\": ");
}

TEST_F(Responses, StreamsTheSameResponse) {
  for (const char* question : {"look up it", "think", "refuse", "long"}) {
    Json body = request({human(question)});
    const Json whole = responses(body).json;
    body["stream"] = true;
    const std::string stream = responses(body).body;
    Json items = Json::array();
    Json last;
    std::string text;
    for (std::size_t at = 0; (at = stream.find("data: {", at)) != std::string::npos; ++at) {
      last = Json::parse(stream.substr(at + 6, stream.find('\n', at) - at - 6));
      if (last["type"] == "response.output_item.done") items.push_back(last["item"]);
      if (last["type"] == "response.output_text.delta") text += last["delta"].get<std::string>();
    }
    EXPECT_EQ(items, whole["output"]) << question;
    EXPECT_EQ(last["response"], whole) << question;
    if (items[0].value("type", "") == "message" && items[0]["content"][0].contains("text")) {
      EXPECT_EQ(items[0]["content"][0]["text"], text) << question;
    }
  }
}

}  // namespace
}  // namespace ba::scripted
