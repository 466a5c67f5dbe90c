// SPDX-License-Identifier: Apache-2.0
// Who counts a model's tokens, and what each is asked.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "pipeline/text/message/json_view.hpp"
#include "tests/worker/llm/llm_messages.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/count_form.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

namespace ba::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CountApiTest : public ::testing::Test {
 protected:
  CountApiTest() {
    provider_.name = "p";
    provider_.protocol = &anthropic_protocol();
    provider_.base_url = "https://api.anthropic.com";
    provider_.api_key = Secret("key-1");
    model_.name = "m";
    model_.provider = "p";
    model_.model_id = "model-x";
    ToolCall call;
    call.id = ToolCallId("c1");
    call.name = "query_database";
    call.args_json = R"({"sql":"select 1"})";
    request_.with_tool().human("how many?").ai("I look.", {call}).tool("c1", "12 rows");
    request_.fields().system = "be brief";
    request_.fields().max_output_tokens = 64;
  }

  void provider(const Protocol* protocol, const std::string& base_url) {
    provider_.protocol = protocol;
    provider_.base_url = base_url;
  }

  CountApi api(const std::string& named) {
    const auto found = count_api(provider_, model_, named);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : CountApi{};
  }

  std::string refusal(const std::string& named) {
    const auto found = count_api(provider_, model_, named);
    return found ? "none" : found.error().message;
  }

  std::string body(const CountApi& api) {
    const ProtocolContext context{provider_, model_, limits_};
    const auto body = request_to_count(api, request_.get(), context);
    EXPECT_TRUE(body) << body.error().message;
    return body ? *body : "";
  }

  std::map<std::string, std::string> headers(const CountApi& api) {
    std::map<std::string, std::string> all;
    for (const auto& [name, value] : count_headers(api, provider_)) all[name] = value.reveal();
    return all;
  }

  ProviderConfig provider_;
  ModelConfig model_;
  LlmLimits limits_;
  TestRequest request_;
};

TEST_F(CountApiTest, KnowsWhoCountsForAProvider) {
  EXPECT_EQ(api(""), (CountApi{&anthropic_count(),
                               "https://api.anthropic.com/v1/messages/count_tokens", true}));
  EXPECT_EQ(api("anthropic"), api(""));
  provider(&openai_responses_protocol(), "https://api.openai.com/v1");
  EXPECT_EQ(api(""),
            (CountApi{&openai_count(), "https://api.openai.com/v1/responses/input_tokens", true}));
  provider(&openai_chat_protocol(), "https://api.openai.com/v1");
  EXPECT_EQ(api("").form, &openai_count());
  provider(&openai_chat_protocol(), "https://generativelanguage.googleapis.com/v1beta/openai/");
  EXPECT_EQ(api(""),
            (CountApi{&gemini_count(),
                      "https://generativelanguage.googleapis.com/v1beta/models/model-x:countTokens",
                      true}));
  model_.model_id = "models/a b";
  EXPECT_THAT(api("gemini").url, HasSubstr("/models/a%20b:countTokens"));
}

TEST_F(CountApiTest, SaysWhatDoesNotFitAndWhatWould) {
  EXPECT_EQ(refusal("openai"),
            "\"openai\" doesn't count for it: its provider \"p\" speaks anthropic; "
            "exact_counting_api may be \"anthropic\" or a URL that counts "
            "(http(s)://host[:port]/path)");
  EXPECT_THAT(refusal("gemini"), HasSubstr("speaks anthropic"));
  provider(&openai_chat_protocol(), "http://127.0.0.1:8080/v1");
  EXPECT_EQ(refusal(""),
            "nobody is known who counts for it: its provider \"p\" speaks openai_chat; "
            "exact_counting_api may be a URL that counts (http(s)://host[:port]/path)");
  EXPECT_THAT(refusal("anthropic"), HasSubstr("speaks openai_chat"));
  provider(&openai_responses_protocol(), "https://api.openai.com/v1");
  EXPECT_THAT(refusal("gemini"), HasSubstr("may be \"openai\" or a URL"));
  EXPECT_THAT(refusal("https://user:secret@h/count"), Not(HasSubstr("secret")));
}

TEST_F(CountApiTest, AUrlSaysByItsEndWhatItIsAsked) {
  provider(&openai_chat_protocol(), "http://h:1/v1");
  EXPECT_EQ(api("http://h:1/tokenize").form, &chat_count());
  EXPECT_EQ(api("http://h:1/v1/messages/count_tokens").form, &anthropic_count());
  EXPECT_EQ(api("http://h:1/v1/responses/input_tokens").form, &openai_count());
  EXPECT_EQ(api("http://h:1/models/x:countTokens").form, &gemini_count());
  provider(&anthropic_protocol(), "http://h:1");
  EXPECT_EQ(api("http://h:1/counts").form, &anthropic_count());
  for (const char* named : {"", "anthropic", "openai", "gemini", "https://h/count"})
    EXPECT_TRUE(is_count_api(named)) << named;
  for (const char* named : {"grok", "ftp://h/c", "http://u:p@h/c", "http://h/c?key=1", "h:1/c"})
    EXPECT_FALSE(is_count_api(named)) << named;
}

TEST_F(CountApiTest, CredentialsGoToTheProvidersOwnServerAlone) {
  provider_.headers.emplace("x-team", Secret("team-1"));
  EXPECT_EQ(headers(api("anthropic"))["authorization"], "Bearer key-1");
  EXPECT_EQ(headers(api("https://api.anthropic.com/v9/count_tokens"))["x-team"], "team-1");
  for (const char* url : {"https://counts.example/count_tokens", "http://api.anthropic.com/c",
                          "https://api.anthropic.com:444/c"}) {
    EXPECT_FALSE(api(url).trusted) << url;
    for (const auto& [name, value] : headers(api(url))) {
      EXPECT_THAT(value, Not(HasSubstr("key-1"))) << url;
      EXPECT_THAT(value, Not(HasSubstr("team-1"))) << url;
    }
  }
}

TEST_F(CountApiTest, AServerIsTheSameHoweverItIsWritten) {
  for (const char* url : {"https://api.anthropic.com:443/v1/messages/count_tokens",
                          "https://API.Anthropic.com/v1/messages/count_tokens"})
    EXPECT_TRUE(api(url).trusted) << url;
  provider_.base_url = "http://[::1]/v1";
  EXPECT_TRUE(api("http://[::1]:80/count_tokens").trusted);
  EXPECT_FALSE(api("http://[::1]:443/count_tokens").trusted);
}

TEST_F(CountApiTest, AToolWithoutArgumentsHasNoSchemaOrAnEmptyOne) {
  for (const char* url : {"/v1/messages/count_tokens", "/v1/responses/input_tokens",
                          "/models/x:countTokens", "/tokenize"}) {
    provider(&openai_chat_protocol(), "http://h:1/v1");
    std::vector<ToolSpec> tools = request_.fields().tools;
    tools[0].parameters_schema.clear();
    request_.fields().tools = tools;
    const std::string asked = body(api("http://h:1" + std::string(url)));
    EXPECT_TRUE(JsonView::parse(asked)) << url << ": " << asked;
    EXPECT_THAT(asked, HasSubstr("query_database")) << url;
    EXPECT_THAT(asked, HasSubstr("how many?")) << url;
  }
}

TEST_F(CountApiTest, ToolsThatAreCalledInTextAreCountedAsText) {
  provider(&openai_chat_protocol(), "http://h:1/v1");
  model_.tool_calling = ToolCalling::Text;
  for (const char* url : {"/v1/messages/count_tokens", "/v1/responses/input_tokens",
                          "/models/x:countTokens", "/tokenize"}) {
    const std::string asked = body(api("http://h:1" + std::string(url)));
    const auto json = JsonView::parse(asked);
    ASSERT_TRUE(json) << url;
    EXPECT_TRUE((*json)["tools"].absent()) << url;
    EXPECT_THAT(asked, Not(HasSubstr("functionDeclarations"))) << url;
    EXPECT_THAT(asked, HasSubstr("Runs SQL.")) << url << ": it stands in the prompt";
  }
}

TEST_F(CountApiTest, VertexCountsAtItsOwnPathInItsOwnForm) {
  provider(&openai_chat_protocol(),
           "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1/"
           "endpoints/openapi");
  model_.model_id = "google/gemini-2.5-pro";
  EXPECT_EQ(api("gemini").url,
            "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1/"
            "publishers/google/models/gemini-2.5-pro:countTokens");
  const std::string asked = body(api("gemini"));
  const auto json = JsonView::parse(asked);
  ASSERT_TRUE(json);
  std::vector<std::string> members;
  json->for_each_member([&](std::string_view key, JsonView) { members.emplace_back(key); });
  EXPECT_THAT(members, ::testing::UnorderedElementsAre("systemInstruction", "tools", "contents"));
}

TEST_F(CountApiTest, GeminiTakesTheKeyByItsOwnName) {
  provider(&openai_chat_protocol(), "https://generativelanguage.googleapis.com/v1beta/openai");
  const auto sent = headers(api("gemini"));
  EXPECT_EQ(sent.at("x-goog-api-key"), "key-1");
  EXPECT_FALSE(sent.contains("authorization"));
  provider_.base_url = "https://europe-aiplatform.googleapis.com/v1/endpoints/openapi";
  EXPECT_EQ(
      headers(api("https://europe-aiplatform.googleapis.com/v1/x:countTokens")).at("authorization"),
      "Bearer key-1");
}

TEST_F(CountApiTest, AsksAnthropicAboutAllThatIsSentAndNothingOfTheReply) {
  const std::string asked = body(api("anthropic"));
  const auto json = JsonView::parse(asked);
  ASSERT_TRUE(json);
  EXPECT_TRUE((*json)["model"].equals("model-x"));
  EXPECT_THAT(asked, HasSubstr("be brief"));
  EXPECT_THAT(asked, HasSubstr("how many?"));
  EXPECT_THAT(asked, HasSubstr("12 rows"));
  EXPECT_THAT(asked, HasSubstr("Runs SQL."));
  for (const char* member : {"max_tokens", "stream", "temperature"})
    EXPECT_TRUE((*json)[member].absent()) << member;
  const auto sent = anthropic_protocol().request_body(request_.get(), {provider_, model_, limits_});
  ASSERT_TRUE(sent);
  for (const char* member : {"messages", "system", "tools"})
    EXPECT_EQ((*json)[member].raw(), (*JsonView::parse(*sent))[member].raw()) << "the same bytes";
}

TEST_F(CountApiTest, AsksOpenaiInTheFormOfResponsesWhicheverWayItsModelIsAsked) {
  provider(&openai_responses_protocol(), "https://api.openai.com/v1");
  const std::string responses = body(api("openai"));
  provider(&openai_chat_protocol(), "https://api.openai.com/v1");
  EXPECT_EQ(body(api("openai")), responses);
  const auto json = JsonView::parse(responses);
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["input"].kind(), JsonKind::Array);
  for (const char* member : {"max_output_tokens", "stream", "store", "include"})
    EXPECT_TRUE((*json)[member].absent()) << member;
  EXPECT_THAT(responses, HasSubstr("be brief"));
  EXPECT_THAT(responses, HasSubstr("12 rows"));
}

TEST_F(CountApiTest, AsksGeminiInItsOwnForm) {
  provider(&openai_chat_protocol(), "https://generativelanguage.googleapis.com/v1beta/openai");
  EXPECT_EQ(
      body(api("")),
      R"({"generateContentRequest":{"model":"models/model-x","systemInstruction":{"parts":[{"text":"be brief"}]},)"
      R"("tools":[{"functionDeclarations":[{"name":"query_database","description":"Runs SQL.",)"
      R"("parametersJsonSchema":{"type":"object","properties":{"sql":{"type":"string"}},"required":["sql"]}}]}],)"
      R"("contents":[{"role":"user","parts":[{"text":"how many?"}]},)"
      R"({"role":"model","parts":[{"text":"I look."},{"functionCall":{"name":"query_database","args":{"sql":"select 1"}}}]},)"
      R"({"role":"user","parts":[{"functionResponse":{"name":"query_database","response":{"content":"12 rows"}}}]}]}})");
}

TEST_F(CountApiTest, AsksAServersOwnWayWithMessagesAndTools) {
  provider(&openai_chat_protocol(), "http://h:1/v1");
  const std::string asked = body(api("http://h:1/tokenize"));
  const auto json = JsonView::parse(asked);
  ASSERT_TRUE(json);
  std::vector<std::string> members;
  json->for_each_member([&](std::string_view key, JsonView) { members.emplace_back(key); });
  EXPECT_THAT(members, ::testing::UnorderedElementsAre("model", "messages", "tools"));
}

TEST_F(CountApiTest, ATextIsOneMessageOfAUser) {
  EXPECT_EQ(api("anthropic").form->text_question("model-x", "say \"hi\""),
            R"({"model":"model-x","messages":[{"role":"user","content":"say \"hi\""}]})");
  provider(&openai_chat_protocol(), "http://h:1/v1");
  EXPECT_EQ(api("openai").form->text_question("model-x", "hi"),
            R"({"model":"model-x","input":"hi"})");
  EXPECT_EQ(api("gemini").form->text_question("model-x", "hi"),
            R"({"contents":[{"role":"user","parts":[{"text":"hi"}]}]})");
}

TEST_F(CountApiTest, ReadsEachAnswer) {
  EXPECT_EQ(read_count(R"({"input_tokens":14})").value(), 14);
  EXPECT_EQ(read_count(R"({"object":"response.input_tokens","input_tokens":11})").value(), 11);
  EXPECT_EQ(read_count(R"({"totalTokens":31,"promptTokensDetails":[]})").value(), 31);
  EXPECT_EQ(read_count(R"({"count":3,"max_model_len":4096,"tokens":[1,2,3]})").value(), 3);
  for (const char* answer :
       {"", "[", "{}", "[1]", R"({"input_tokens":-1})", R"({"input_tokens":"14"})",
        R"({"input_tokens":1.5})", R"({"input_tokens":9223372036854775807})"})
    EXPECT_EQ(read_count(answer).error().code, ErrorCode::Protocol) << answer;
}

}  // namespace
}  // namespace ba::llm
