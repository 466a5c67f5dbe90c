// SPDX-License-Identifier: Apache-2.0
// Which schemas a job may bring.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/text/answer/answer.hpp"

namespace ba {
namespace {

using testing::HasSubstr;

/// Why the schema is refused; empty: it isn't.
std::string flaw(std::string_view schema) {
  const auto good = check_answer_schema(schema);
  return good ? "" : good.error().message;
}

TEST(AnswerSchema, IsAnyObjectThatIsAJsonSchema) {
  for (const char* schema :
       {"{}", R"({"type":"object"})", R"({"type":["string","null"]})", R"({"enum":[1,2]})",
        R"({"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","type":"array"})",
        R"({"properties":{"prefixItems":{"type":"string"},"$id":{"type":"string"}}})",
        R"({"const":{"prefixItems":1},"x-word":"of somebody's own","format":"date"})"})
    EXPECT_EQ(flaw(schema), "") << schema;
}

TEST(AnswerSchema, IsRefusedWhereItIsNoSchema) {
  EXPECT_THAT(flaw("{"), HasSubstr("is not JSON"));
  EXPECT_THAT(flaw("true"), HasSubstr("must be a JSON Schema object"));
  EXPECT_THAT(flaw("[]"), HasSubstr("must be a JSON Schema object"));
  EXPECT_THAT(flaw(R"({"type":"text"})"), HasSubstr("type: "));
  EXPECT_THAT(flaw(R"({"properties":{"a":{"minimum":"1"}}})"), HasSubstr("properties.a.minimum: "));
  EXPECT_THAT(flaw(std::string_view("{}\0", 3)), HasSubstr("NUL"));
}

TEST(AnswerSchema, HasABoundOnBytesAndDepth) {
  const auto with_bytes = [](std::size_t bytes) {
    const std::string frame = R"({"title":""})";
    return R"({"title":")" + std::string(bytes - frame.size(), 'x') + "\"}";
  };
  EXPECT_EQ(flaw(with_bytes(kAnswerSchemaBytesMax)), "");
  EXPECT_THAT(flaw(with_bytes(kAnswerSchemaBytesMax + 1)), HasSubstr("the limit is 65536"));
  const auto with_depth = [](int depth) {
    std::string schema = "{}";
    for (int i = 1; i < depth; ++i) schema = R"({"not":)" + schema + "}";
    return schema;
  };
  EXPECT_EQ(flaw(with_depth(kAnswerSchemaDepthMax)), "");
  EXPECT_THAT(flaw(with_depth(kAnswerSchemaDepthMax + 1)), HasSubstr("at most 32 levels"));
}

TEST(AnswerSchema, RefersToItselfOnly) {
  EXPECT_EQ(flaw(R"({"definitions":{"a b":{}},"items":{"$ref":"#/definitions/a%20b"}})"), "");
  EXPECT_EQ(flaw(R"({"$defs":{"a/b":{}},"items":{"$ref":"#/$defs/a~1b"}})"), "");
  EXPECT_EQ(flaw(R"({"items":[{"type":"null"}],"additionalItems":{"$ref":"#/items/0"}})"), "");
  for (const char* elsewhere : {"http://example.org/s.json", "other.json#/a", "#name", ""})
    EXPECT_THAT(flaw(R"({"items":{"$ref":")" + std::string(elsewhere) + "\"}}"),
                HasSubstr("leads out of the schema"))
        << elsewhere;
  for (const char* nowhere : {"#/definitions/b", "#/x", "#/title", "#/enum/0", "#/items/-"})
    EXPECT_THAT(flaw(R"({"title":"t","x":{},"enum":[{}],"items":{"$ref":")" + std::string(nowhere) +
                     "\"}}"),
                HasSubstr("items: $ref \"" + std::string(nowhere) + "\" leads to no schema"))
        << nowhere;
}

TEST(AnswerSchema, NeverAsksForItselfAboutTheSameValue) {
  EXPECT_THAT(flaw(R"({"$ref":"#"})"), HasSubstr("refers to itself"));
  EXPECT_THAT(flaw(R"({"properties":{"a":{"anyOf":[{"type":"null"},{"$ref":"#/properties/a"}]}}})"),
              HasSubstr("refers to itself"));
  EXPECT_THAT(flaw(R"({"definitions":{"a":{"not":{"$ref":"#/definitions/b"}},)"
                   R"("b":{"if":{"$ref":"#/definitions/a"}}}})"),
              HasSubstr("refers to itself"));
  EXPECT_EQ(flaw(R"({"properties":{"next":{"$ref":"#"}},"items":{"$ref":"#"}})"), "");
  EXPECT_EQ(flaw(R"({"definitions":{"a":{}},"allOf":[{"$ref":"#/definitions/a"},)"
                 R"({"$ref":"#/definitions/a"}]})"),
            "");
}

TEST(AnswerSchema, HasNoKeywordsOfLaterDraftsThatChangeWhatIsValid) {
  for (const char* keyword : {"prefixItems", "unevaluatedProperties", "minContains"}) {
    const std::string value = keyword[0] == 'p' ? "[{}]" : keyword[0] == 'u' ? "false" : "1";
    EXPECT_THAT(flaw(R"({"properties":{"a":{")" + std::string(keyword) + "\":" + value + "}}}"),
                HasSubstr("properties.a: " + std::string(keyword)));
  }
  EXPECT_THAT(flaw(R"({"items":{"$id":"x"}})"), HasSubstr("items: $id"));
}

TEST(AnswerSchema, HasPatternsThatEndInLinearTime) {
  EXPECT_EQ(flaw(R"({"pattern":"^(a+)+$","patternProperties":{"\\d":{}}})"), "");
  EXPECT_THAT(flaw(R"~({"items":{"pattern":"(?=a)"}})~"),
              HasSubstr("items: pattern: \"(?=a)\" can't be used"));
  EXPECT_THAT(flaw(R"({"patternProperties":{"[":{}}})"), HasSubstr("patternProperties: \"[\""));
  EXPECT_THAT(flaw(R"~({"pattern":"((((a{99}){99}){99}){99})"})~"), HasSubstr("can't be used"));
  std::string many = R"({"patternProperties":{)";
  for (int i = 0; i < 65; ++i) many += (i > 0 ? ",\"a" : "\"a") + std::to_string(i) + "\":{}";
  EXPECT_THAT(flaw(many + "}}"), HasSubstr("more than 64 patterns"));
}

}  // namespace
}  // namespace ba
