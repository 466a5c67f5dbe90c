// SPDX-License-Identifier: Apache-2.0
// Schemas of one parameter, row by row, as a provider gets them.
#include <gtest/gtest.h>

#include "pipeline/base/exact_json.hpp"
#include "tests/worker/llm/taken_schema.hpp"
#include "tests/worker/llm/tool_rules_of.hpp"
#include "worker/llm/tool_fits.hpp"

namespace ba::llm {
namespace {

using test::rules_of;

using Json = nlohmann::ordered_json;

constexpr const char* kGemini = "Google's Gemini";
constexpr const char* kMoonshot = "Moonshot";
constexpr const char* kOpenai = "OpenAI";
constexpr const char* kUnknown = "a server that is not known";

struct Row {
  const char* who;
  const char* schema;  ///< of the parameter "a"
  const char* sent;
};

const Row kRows[] = {
    {kGemini, R"({"type":"string","anyOf":[{"format":"ipv4"},{"format":"ipv6"}]})",
     R"({"type":"string"})"},
    {kGemini,
     R"({"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"anyOf":[{"required":["x"]},{"required":["y"]}]})",
     R"({"anyOf":[{"required":["x"],"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}}},)"
     R"({"required":["y"],"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}}}]})"},
    {kGemini,
     R"({"type":"integer","oneOf":[{"const":1,"title":"Low"},{"const":2,"title":"High"}]})",
     R"({"anyOf":[{"title":"Low","type":"integer","description":"One of: [1]."},)"
     R"({"title":"High","type":"integer","description":"One of: [2]."}]})"},
    {kGemini,
     R"({"description":"d","anyOf":[{"anyOf":[{"type":"string"},{"type":"integer"}]},{"type":"null"}]})",
     R"({"anyOf":[{"type":"string","description":"d","nullable":true},{"type":"integer","description":"d","nullable":true}]})"},
    {kGemini, R"({"format":"int64"})", R"({"format":"int64","type":"integer"})"},
    {kGemini, R"({"anyOf":[{"type":"string"},{"type":"array"}],"items":{"type":"string"}})",
     R"({"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]})"},
    {kGemini, R"({"type":["string","integer"],"description":"d"})",
     R"({"anyOf":[{"type":"string","description":"d"},{"type":"integer","description":"d"}]})"},
    {kGemini, R"({"type":["string","null"],"enum":["a",null]})",
     R"({"type":"string","enum":["a"],"nullable":true})"},
    {kGemini, R"({"anyOf":[{"const":null},{"const":"a"}]})",
     R"({"type":"string","enum":["a"],"nullable":true})"},
    {kGemini, R"({"type":"string","anyOf":[{"type":"string","minLength":1},{"type":"null"}]})",
     R"({"type":"string","minLength":1})"},
    {kGemini, R"({"enum":[1,2]})", R"({"type":"integer","description":"One of: [1,2]."})"},
    {kGemini, R"({"type":"string","format":"enum","enum":["a",""]})",
     R"({"type":"string","description":"One of: [\"a\",\"\"]."})"},
    {kGemini,
     R"({"type":"string","description":"b","anyOf":[{"maxLength":3,"description":"c"},{"minLength":9}]})",
     R"({"anyOf":[{"maxLength":3,"description":"b c","type":"string"},{"minLength":9,"type":"string","description":"b"}]})"},
    {kGemini, R"({"allOf":[{"anyOf":[{"type":"string"},{"type":"boolean"}]},{"description":"d"}]})",
     R"({"anyOf":[{"type":"string","description":"d"},{"type":"boolean","description":"d"}]})"},
    {kMoonshot,
     R"({"type":"object","properties":{"x":{"type":"string"}},"anyOf":[{"required":["x"]},{"minProperties":2}]})",
     R"({"properties":{"x":{"type":"string"}},"anyOf":[{"required":["x"],"type":"object"},{"minProperties":2,"type":"object"}]})"},
    {kUnknown,
     R"({"type":"object","properties":{"x":{"type":"string"}},"anyOf":[{"required":["x"]}]})",
     R"({"properties":{"x":{"type":"string"}},"anyOf":[{"required":["x"],"type":"object"}]})"},
    {kMoonshot, R"({"enum":[1,"a"]})",
     R"({"anyOf":[{"type":"integer","enum":[1]},{"type":"string","enum":["a"]}]})"},
    {kMoonshot, R"({"const":1.5})", R"({"const":1.5,"type":"number"})"},
    {kMoonshot, R"({"type":["string","number"],"anyOf":[{"minLength":1},{"minimum":0}]})",
     R"({"anyOf":[{"anyOf":[{"type":"string","minLength":1},{"type":"number"}]},)"
     R"({"anyOf":[{"type":"string"},{"type":"number","minimum":0}]}]})"},
    {kUnknown, R"({"type":["integer","null"],"enum":[1,2.0,null]})",
     R"({"anyOf":[{"type":"integer","enum":[1,2.0]},{"type":"null"}]})"},
    {"Anthropic",
     R"({"additionalProperties":false,"type":"object","required":["$top"],"properties":{"$top":{},"x":{},"y":{}}})",
     R"({"type":"object","properties":{"x":{},"y":{}},"description":"It needs the parameter \"$top\": {}."})"},
    // A wider schema within would make these narrower.
    {"Anthropic", R"({"type":"object","properties":{"x":{}},"not":{"required":["$top"]}})",
     R"({"type":"object","properties":{"x":{}}})"},
    {"Anthropic", R"({"type":"object","not":{"required":["x"]}})",
     R"({"type":"object","not":{"required":["x"]}})"},
    {"llama.cpp", R"({"oneOf":[{"type":"string","pattern":"a"},{"type":"string","pattern":"b"}]})",
     R"({"anyOf":[{"type":"string"},{"type":"string"}]})"},
    {"Anthropic",
     R"({"type":"object","properties":{"$top":{}},"if":{"properties":{"$top":{"const":1}}},"then":{"required":["x"]}})",
     R"({"type":"object","properties":{},"description":"It also takes the parameter \"$top\": {}."})"},
    {"Anthropic", R"({"type":"object","properties":{"$top":{}},"unevaluatedProperties":false})",
     R"({"type":"object","properties":{},"description":"It also takes the parameter \"$top\": {}."})"},
    // Numbers keep their digits; those that no double holds aren't sent.
    {kOpenai, R"({"enum":[18446744073709551617,1.10,1e5,100000]})",
     R"({"enum":[18446744073709551617,1.10,1e5]})"},
    {kOpenai, R"({"type":"number","maximum":1e400,"minimum":1e-5})",
     R"({"type":"number","minimum":1e-5})"},
    {kOpenai, R"({"const":1e400})", R"({"description":"Always: 1e400."})"},
    {"llama.cpp", R"({"type":"string","maxLength":1e3,"minLength":1e1})",
     R"({"type":"string","minLength":1e1})"},
};

TEST(ToolSchemaRows, AreSentAsTheProviderTakesThem) {
  for (const Row& row : kRows) {
    const std::string text =
        R"({"type":"object","properties":{"a":)" + std::string(row.schema) + "}}";
    const FittedSchema fitted = fitted_schema(text, rules_of(row.who));
    ASSERT_EQ(fitted.fault, "") << row.who << ": " << row.schema;
    const Json sent = parse_exact<Json>(fitted.schema);
    EXPECT_EQ(dump_exact(sent["properties"]["a"]), row.sent) << row.who << ": " << row.schema;
    EXPECT_EQ(TakenSchema::refusal(sent, rules_of(row.who)), "") << row.who << ": " << row.schema;
  }
}

TEST(ToolSchemaRows, OfOneSchemaForBothKeepTheTypesOfBoth) {
  const Json both = Json::parse(
      fitted_schema(
          R"({"type":"object","properties":{"a":{"allOf":[{"type":["integer","string"]},{"type":["number","string"]}]},)"
          R"("b":{"allOf":[{"type":"number"},{"type":"integer"}]}}})",
          rules_of(kGemini))
          .schema)["properties"];
  EXPECT_EQ(both["a"].dump(), R"({"anyOf":[{"type":"integer"},{"type":"string"}]})");
  EXPECT_EQ(both["b"].dump(), R"({"type":"integer"})");
}

TEST(ToolSchemaRows, OfAlternativesWithValuesLoseNoneToWhatStandsBesideOne) {
  const Json sent = Json::parse(
      fitted_schema(
          R"({"type":"object","oneOf":[{"properties":{"k":{"enum":["a"],"pattern":"^a"}}},)"
          R"({"properties":{"k":{"enum":["b"],"pattern":"^b"}}}]})",
          rules_of(kOpenai))
          .schema);
  EXPECT_EQ(sent["properties"]["k"].dump(),
            R"({"anyOf":[{"enum":["a"],"pattern":"^a"},{"enum":["b"],"pattern":"^b"}]})");
}

TEST(ToolSchemaRows, AreNoneForGeminiWithoutParameters) {
  for (const char* text : {"{}", R"({"type":"object"})", R"({"type":"object","properties":{}})"}) {
    const FittedSchema fitted = fitted_schema(text, rules_of(kGemini));
    EXPECT_EQ(fitted.fault, "") << text;
    EXPECT_EQ(fitted.schema, "") << text;
    EXPECT_EQ(fitted_schema(text, rules_of(kOpenai)).schema,
              R"({"type":"object","properties":{}})");
  }
}

TEST(ToolSchemaRows, ThatLeadToThemselvesEndInWhatTheirTypesAllow) {
  const char* const text =
      R"({"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},)"
      R"("$defs":{"n":{"anyOf":[{"type":"string"},{"type":"array","items":{"$ref":"#/$defs/n"}}]}}})";
  Json at = Json::parse(fitted_schema(text, rules_of(kOpenai)).schema)["properties"]["n"];
  int levels = 0;
  for (; at.contains("anyOf"); ++levels) at = Json(at["anyOf"][1]["items"]);
  EXPECT_EQ(levels, 4) << "itself, and three times more";
  EXPECT_EQ(at.dump(), R"({"type":["string","array"],"items":{}})");
}

TEST(ToolSchemaRows, ThatAreCutWithinNotAndOneOfAreNotKeptThere) {
  const Json sent = Json::parse(
      fitted_schema(
          R"({"type":"object","properties":{"a":{"not":{"$ref":"https://example.com/s"}},)"
          R"("b":{"oneOf":[{"type":"string"},{"$ref":"#gone"}],"description":"d"},)"
          R"("n":{"$ref":"#/$defs/n"}},)"
          R"("$defs":{"n":{"type":"string","nullable":true,"not":{"$ref":"#/$defs/n"}}}})",
          rules_of(kOpenai))
          .schema)["properties"];
  EXPECT_EQ(sent["a"].dump(), "{}");
  EXPECT_EQ(sent["b"].dump(), R"({"description":"d"})") << "one of them may be anything";
  EXPECT_FALSE(sent["n"].contains("not"));
}

TEST(ToolSchemaRows, ThatAreTooLargeAreLeftOutAndSaySo) {
  std::string many = R"({"type":"object","properties":{)";
  for (int i = 0; i < 4'000; ++i)
    many += "\"p" + std::to_string(i) + R"(":{"anyOf":[{},{},{},{},{}]},)";
  many += R"("last":{}}})";
  EXPECT_EQ(fitted_schema(many, rules_of(kOpenai)).fault,
            "too large: its schema has more than 20000 parts");
  const std::string long_text =
      R"({"type":"object","description":")" + std::string(kReadSchemaBytesMax, 'd') + "\"}";
  EXPECT_EQ(fitted_schema(long_text, rules_of(kOpenai)).fault,
            "too large: its schema has " + std::to_string(long_text.size()) + " bytes; at most " +
                std::to_string(kReadSchemaBytesMax) + " are read");
}

/// 60 members that each lead back: three levels would be 60^3 of them.
TEST(ToolSchemaRows, ThatLeadToThemselvesOftenAreFilledInLess) {
  std::string text = R"({"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},)"
                     R"("$defs":{"n":{"type":"object","properties":{)";
  for (int i = 0; i < 60; ++i)
    text += (i == 0 ? "\"" : ",\"") + std::string("p") + std::to_string(i) +
            R"(":{"$ref":"#/$defs/n"})";
  text += "}}}}";
  for (const ToolRules* rules : all_tool_rules()) {
    if (rules->as_is) continue;
    const FittedSchema fitted = fitted_schema(text, *rules);
    ASSERT_EQ(fitted.fault, "") << rules->who;
    EXPECT_LE(fitted.schema.size(), kSentSchemaBytesMax);
    EXPECT_EQ(TakenSchema::refusal(Json::parse(fitted.schema), *rules), "") << rules->who;
  }
}

}  // namespace
}  // namespace ba::llm
