// SPDX-License-Identifier: Apache-2.0
// When a job's answer_schema goes to the provider, and how.
#include "worker/llm/message_parts.hpp"

#include "tests/worker/llm/protocol_fixture.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

namespace ba::llm {
namespace {

using nlohmann::json;

constexpr const char* kClosed =
    R"({"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}},"required":["b","a"],"additionalProperties":false})";
constexpr const char* kOptional =
    R"({"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false})";
constexpr const char* kOpen = R"({"type":"object","properties":{"a":{"minimum":1}}})";

class StructuredOutputTest : public ProtocolFixture {
 protected:
  explicit StructuredOutputTest(const Protocol* protocol) : ProtocolFixture(protocol) {
    provider_.structured_output = StructuredOutputMode::Native;
  }

  TestRequest asking(const char* schema, bool tools = false) const {
    TestRequest request;
    if (tools) request.with_tool();
    request.human("How many?");
    request.fields().answer_schema = schema;
    return request;
  }
  bool native(const char* schema, bool tools = false) {
    return structured_output(asking(schema, tools).get(), context()).native;
  }
};

class AnthropicStructuredOutput : public StructuredOutputTest {
 protected:
  AnthropicStructuredOutput() : StructuredOutputTest(&anthropic_protocol()) {}
};

class OpenaiStructuredOutput : public StructuredOutputTest {
 protected:
  OpenaiStructuredOutput() : StructuredOutputTest(&openai_chat_protocol()) {}
};

TEST_F(AnthropicStructuredOutput, StandsInTheOutputConfigWithNamesInTheirOrder) {
  auto request = asking(kClosed, true);
  EXPECT_EQ(written(request)["output_config"],
            json({{"format", {{"type", "json_schema"}, {"schema", json::parse(kClosed)}}}}));
  EXPECT_NE(body(request)->find(kClosed), std::string::npos);
  model_.effort = "high";
  EXPECT_EQ(written(request)["output_config"]["effort"], "high");
  EXPECT_EQ(written(request)["output_config"]["format"]["type"], "json_schema");
}

TEST_F(AnthropicStructuredOutput, IsForClosedSchemasOnly) {
  EXPECT_TRUE(native(kOptional));
  EXPECT_FALSE(native(kOpen));
  auto request = asking(kOpen);
  EXPECT_FALSE(written(request).contains("output_config"));
  EXPECT_FALSE(
      native(R"({"type":"object","properties":{"a":{"$ref":"#"}},"additionalProperties":false})"));
}

TEST_F(OpenaiStructuredOutput, IsStrictWhereTheSchemaIs) {
  auto strict = asking(kClosed, true);
  EXPECT_EQ(written(strict)["response_format"],
            json({{"type", "json_schema"},
                  {"json_schema",
                   {{"name", "answer"}, {"schema", json::parse(kClosed)}, {"strict", true}}}}));
  for (const char* schema : {kOptional, kOpen}) {
    auto request = asking(schema);
    EXPECT_EQ(written(request)["response_format"]["json_schema"]["strict"], false) << schema;
  }
}

class ResponsesStructuredOutput : public StructuredOutputTest {
 protected:
  ResponsesStructuredOutput() : StructuredOutputTest(&openai_responses_protocol()) {}
};

TEST_F(ResponsesStructuredOutput, IsTheFormatOfItsText) {
  auto request = asking(kClosed, true);
  EXPECT_EQ(written(request)["text"], json({{"format",
                                             {{"type", "json_schema"},
                                              {"name", "answer"},
                                              {"schema", json::parse(kClosed)},
                                              {"strict", true}}}}));
  auto open = asking(kOpen);
  EXPECT_EQ(written(open)["text"]["format"]["strict"], false);
}

TEST_F(OpenaiStructuredOutput, IsNotAskedOfAModelWithToolsInTheText) {
  model_.tool_calling = ToolCalling::Text;
  EXPECT_FALSE(native(kClosed));
}

TEST_F(OpenaiStructuredOutput, IsOfObjects) {
  EXPECT_FALSE(native(R"({"type":"array","items":{"type":"integer"}})"));
  EXPECT_FALSE(native("{}"));
}

TEST_F(OpenaiStructuredOutput, IsNotAskedOfACompatibleServerBesideTools) {
  for (const LlmQuirks quirks : {LlmQuirks::LlamaCpp, LlmQuirks::Vllm, LlmQuirks::Ollama}) {
    provider_.quirks = quirks;
    EXPECT_TRUE(native(kClosed));
    EXPECT_FALSE(native(kClosed, true)) << "the schema would win, and no tool be called";
  }
}

TEST_F(OpenaiStructuredOutput, IsAutomaticAtTheOwnersOnly) {
  provider_.structured_output = StructuredOutputMode::Auto;
  EXPECT_FALSE(native(kClosed));
  for (const char* url :
       {"https://api.openai.com", "https://api.openai.com/v1", "https://api.anthropic.com"}) {
    provider_.base_url = url;
    EXPECT_TRUE(native(kClosed, true)) << url;
  }
  for (const char* url : {"https://api.openai.com.example.org", "http://api.openai.com"}) {
    provider_.base_url = url;
    EXPECT_FALSE(native(kClosed)) << url;
  }
}

TEST_F(OpenaiStructuredOutput, TheModelsOwnSettingWins) {
  model_.structured_output = StructuredOutputMode::Off;
  EXPECT_FALSE(native(kClosed));
  provider_.structured_output = StructuredOutputMode::Off;
  model_.structured_output = StructuredOutputMode::Native;
  EXPECT_TRUE(native(kClosed));
}

TEST_F(OpenaiStructuredOutput, IsOfJobsThatWantIt) {
  auto request = asking("");
  EXPECT_FALSE(written(request).contains("response_format"));
}

}  // namespace
}  // namespace ba::llm
