// SPDX-License-Identifier: Apache-2.0
// Keywords of a schema that say something to us alone aren't sent, by any protocol.
#include "pipeline/core/tool/schema_check.hpp"
#include "tests/worker/llm/protocol_fixture.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

namespace ba::llm {
namespace {

constexpr const char* kSchema = R"({"type":"object","x-mine":1,"properties":{
  "sql":{"type":"string","x-semantic":"sql"},
  "file":{"type":"string","x-artifact":true,"default":"x-ray"},
  "x-ray":{"anyOf":[{"type":"integer","x-semantic":"ignore"},{"const":{"x-value":1}}]},
  "rows":{"type":"array","items":{"type":"object","x-mcp-header":"A",
    "additionalProperties":{"x-semantic":"text"}}}},
  "required":["x-ray"]})";

class ToolSchemas : public ::testing::Test {
 protected:
  static std::string sent(const Protocol* protocol, ToolCalling calling) {
    struct Asked final : ProtocolFixture {
      explicit Asked(const Protocol* of) : ProtocolFixture(of) {}
      void TestBody() override {}
      std::string body_with(ToolCalling calling, ToolSpec tool) {
        model_.tool_calling = calling;
        TestRequest request;
        request.human("hello");
        request.fields().tools = {std::move(tool)};
        return body(request).value();
      }
    };
    const auto schema = SchemaCheck::compile(kSchema);
    return Asked(protocol).body_with(
        calling,
        {.name = "t", .description = "d", .parameters_schema = schema->schema_for_models()});
  }
};

TEST_F(ToolSchemas, AreSentWithoutOurOwnKeywordsAndWithAllNamesAndValues) {
  for (const Protocol* const protocol :
       {&anthropic_protocol(), &openai_chat_protocol(), &openai_responses_protocol()})
    for (const ToolCalling calling : {ToolCalling::Native, ToolCalling::Text}) {
      if (calling == ToolCalling::Text && protocol != &openai_chat_protocol()) continue;
      const std::string body = sent(protocol, calling);
      for (const char* keyword : {"x-mine", "x-semantic", "x-artifact", "x-mcp-header"})
        EXPECT_EQ(body.find(keyword), std::string::npos) << keyword << " in " << body;
      for (const char* name : {"x-ray", "x-value", "additionalProperties"})
        EXPECT_NE(body.find(name), std::string::npos) << name << " not in " << body;
    }
}

}  // namespace
}  // namespace ba::llm
