// SPDX-License-Identifier: Apache-2.0
// Schemas as servers of tools have them, rewritten for each row of the table.
#include "worker/llm/tool_fits.hpp"

#include <gtest/gtest.h>

#include "tests/worker/llm/taken_schema.hpp"
#include "tests/worker/llm/tool_rules_of.hpp"

namespace ba::llm {
namespace {

using test::rules_of;

using Json = nlohmann::ordered_json;

const ToolRules& openai() { return rules_of("OpenAI"); }
const ToolRules& anthropic() { return rules_of("Anthropic"); }
const ToolRules& gemini() { return rules_of("Google's Gemini"); }
const ToolRules& unknown() { return rules_of("a server that is not known"); }

std::string schema_of(const std::string& text, const ToolRules& rules) {
  return fitted_schema(text, rules).schema;
}

std::string note_of(const std::string& text, const ToolRules& rules) {
  return fitted_schema(text, rules).note;
}

/// `inner` in as many of these.
std::string nested(const std::string& before, std::string inner, const std::string& behind,
                   int times) {
  for (int i = 0; i < times; ++i) inner = before + inner + behind;
  return inner;
}

/// As texts, since the order of members counts.
const char* const kAsServersHaveThem[] = {
    R"({})",
    R"({"type":"object"})",
    R"({"type":["object","null"],"properties":{}})",
    R"({"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","type":"object","properties":{"a":true,"b":false,"c":null}})",
    R"({"type":"object","properties":{"route":{"type":"string"},"file":{"type":"string"}},"anyOf":[{"required":["route"]},{"required":["file"]}]})",
    R"({"oneOf":[{"type":"object","properties":{"kind":{"const":"a"},"n":{"type":"integer"}},"required":["kind","n"]},{"type":"object","properties":{"kind":{"const":"b"}},"required":["kind"]},{"type":"null"}]})",
    R"({"type":"object","allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"anyOf":[{"required":["b"]},{"required":["c"]}],"properties":{"b":{},"c":{}}}]})",
    R"({"type":"object","allOf":[{"if":{"required":["a"]},"then":{"properties":{"b":{}}}},{"if":{"required":["c"]},"else":{"properties":{"d":{"type":"array"}}}}]})",
    R"({"type":"object","properties":{"a":{}},"not":{"required":["a","b"]},"enum":[{}],"const":{}})",
    R"({"type":"object","properties":{"$top":{"type":"integer"},"filter[id]":{"type":"string"}},"required":["$top","gone"]})",
    R"({"type":"object","properties":{"paths":{"type":"array","description":"files"}},"required":["paths"]})",
    R"({"type":"object","properties":{"p":{"type":["array","null"]},"q":{"type":"array","items":[{"type":"string"},{"type":"number"}]},"r":{"type":"array","prefixItems":[{"type":"string"}],"items":false}}})",
    R"({"type":"object","properties":{"n":{"type":["string","integer"],"minLength":1,"minimum":2,"enum":["a",5]},"m":{"enum":[1,2,2]},"e":{"enum":[]},"x":{"const":3}}})",
    R"({"type":"object","$defs":{"tree":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}},"properties":{"root":{"$ref":"#/$defs/tree","description":"the root"}}})",
    R"({"$ref":"#/definitions/In","definitions":{"In":{"type":"object","properties":{"a":{"$ref":"#/definitions/gone"},"b":{"$ref":"https://example.com/s.json"}}}}})",
    R"({"type":"object","properties":{"self":{"$ref":"#"}}})",
    R"({"type":"object","properties":{"o":{"type":"object","properties":{}},"p":{"type":"object","additionalProperties":{"type":["string","null"]}},"any":{"description":"what you like"}}})",
    R"({"type":"object","properties":{"u":{"anyOf":[{"type":"string"},{"type":"null"}],"description":"d","default":null},"v":{"allOf":[{"type":"string"},{"minLength":2}]},"w":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b"}]},"z":{"anyOf":[true,{"type":"string"}]},"y":{"anyOf":[false]}}})",
    R"({"type":"object","properties":{"d":{"type":"string","format":"uri","pattern":"[a-z]+"},"t":{"type":"string","format":"date-time","pattern":"^a$"},"k":{"not":{}},"l":{"not":true}}})",
    R"({"type":"object","x-mine":1,"properties":{"x-ray":{"type":"string","x-semantic":"sql"}}})",
    R"({"type":"object","dependentSchemas":{"a":{"properties":{"b":{"type":"string"}}}},"patternProperties":{"^s_":{"type":"array"}},"properties":{"a":{"type":"file"}},"additionalProperties":false})",
};

TEST(ToolSchema, IsTakenByEachProviderHoweverAServerWritesIt) {
  for (const ToolRules* rules : all_tool_rules()) {
    if (rules->as_is) continue;
    for (const char* text : kAsServersHaveThem) {
      const FittedSchema fitted = fitted_schema(text, *rules);
      ASSERT_EQ(fitted.fault, "") << rules->who << ": " << text;
      if (rules->known_required && fitted.schema.empty()) continue;  // no parameters, no schema
      EXPECT_EQ(TakenSchema::refusal(Json::parse(fitted.schema), *rules), "")
          << rules->who << ": " << text << "\n"
          << fitted.schema;
    }
  }
}

TEST(ToolSchema, IsTheSameBytesEachTimeAndStaysAsItIsOnceItFits) {
  for (const ToolRules* rules : all_tool_rules())
    for (const char* text : kAsServersHaveThem) {
      const FittedSchema fitted = fitted_schema(text, *rules);
      EXPECT_EQ(schema_of(text, *rules), fitted.schema);
      EXPECT_EQ(schema_of(fitted.schema, *rules), fitted.schema) << rules->who << ": " << text;
    }
}

TEST(ToolSchema, OfAToolThatFitsKeepsItsBytes) {
  const std::string plain =
      R"({"type":"object","properties":{"sql":{"type":"string","description":"d","minLength":1},)"
      R"("rows":{"type":"array","items":{"type":"integer"}}},"required":["sql"],"additionalProperties":false})";
  for (const char* who : {"OpenAI", "Anthropic", "Mistral", "llama.cpp", "vLLM", "Ollama",
                          "a server that is not known"}) {
    EXPECT_EQ(schema_of(plain, rules_of(who)), plain) << who;
    EXPECT_EQ(note_of(plain, rules_of(who)), "") << who;
  }
}

TEST(ToolSchema, PutsAlternativesOfTheTopTogetherAndTellsWhichGoTogether) {
  const std::string find = kAsServersHaveThem[4];
  EXPECT_EQ(
      schema_of(find, openai()),
      R"({"type":"object","properties":{"route":{"type":"string"},"file":{"type":"string"}}})");
  EXPECT_EQ(note_of(find, openai()),
            "Give the parameters of at least one of these: (route), (file).");
  const std::string kinds = kAsServersHaveThem[5];
  EXPECT_EQ(
      schema_of(kinds, anthropic()),
      R"({"type":"object","properties":{"kind":{"enum":["a","b"]},"n":{"type":"integer"}},"required":["kind"]})");
  EXPECT_EQ(note_of(kinds, anthropic()),
            "Give the parameters of exactly one of these: (kind \"a\", n), (kind \"b\").");
}

TEST(ToolSchema, HasWhatAllOfTheTopAsksFor) {
  EXPECT_EQ(
      schema_of(
          R"({"type":"object","allOf":[{"properties":{"a":{"type":"string","minLength":1}},"required":["a"]},)"
          R"({"properties":{"a":{"minLength":3},"b":{"type":"integer"}},"required":["b","a"]}]})",
          openai()),
      R"({"type":"object","properties":{"a":{"type":"string","minLength":3},"b":{"type":"integer"}},"required":["a","b"]})");
  EXPECT_EQ(note_of(kAsServersHaveThem[8], openai()), "Don't give together: a, b.");
}

TEST(ToolSchema, NeverForbidsWhatTheOriginalAllows) {
  // Closed in one branch, but the names of the other are allowed there.
  const std::string text =
      R"({"type":"object","properties":{"a":{}},"additionalProperties":false,"anyOf":[{"properties":{"b":{}}}]})";
  EXPECT_EQ(Json::parse(schema_of(text, openai())).count("additionalProperties"), 0U);
  const std::string moved =
      R"({"type":"object","properties":{"$a":{}},"additionalProperties":false})";
  EXPECT_EQ(Json::parse(schema_of(moved, anthropic())).count("additionalProperties"), 0U);
}

TEST(ToolSchema, TellsOfPropertiesWhoseNamesAreNotTaken) {
  const std::string list = kAsServersHaveThem[9];
  EXPECT_EQ(schema_of(list, anthropic()),
            R"({"type":"object","properties":{},"required":["gone"]})");
  EXPECT_EQ(note_of(list, anthropic()),
            "It needs the parameter \"$top\": {\"type\":\"integer\"}.\n"
            "It also takes the parameter \"filter[id]\": {\"type\":\"string\"}.");
  const Json openai_has = Json::parse(schema_of(list, openai()));
  EXPECT_TRUE(openai_has["properties"].contains("$top")) << "OpenAI takes them";
  const std::string inner =
      R"({"type":"object","properties":{"o":{"type":"object","description":"An o.","properties":{"@id":{"type":"string"}}}}})";
  EXPECT_EQ(Json::parse(schema_of(inner, unknown()))["properties"]["o"]["description"],
            "An o. It also takes the parameter \"@id\": {\"type\":\"string\"}.");
}

TEST(ToolSchema, SaysOfWhatAnArrayIs) {
  EXPECT_EQ(
      schema_of(kAsServersHaveThem[10], openai()),
      R"({"type":"object","properties":{"paths":{"type":"array","description":"files","items":{}}},"required":["paths"]})");
  const Json arrays = Json::parse(schema_of(kAsServersHaveThem[11], openai()))["properties"];
  EXPECT_EQ(arrays["p"].dump(), R"({"type":["array","null"],"items":{}})");
  EXPECT_EQ(arrays["q"].dump(), R"({"type":"array","items":{}})");
  EXPECT_EQ(arrays["r"].dump(), R"({"type":"array","items":{"type":"string"}})");
}

TEST(ToolSchema, FillsReferencesInAndCutsThoseThatLeadToThemselves) {
  EXPECT_EQ(schema_of(kAsServersHaveThem[13], openai()),
            R"({"type":"object","properties":{"root":{"description":"the root",)" +
                nested(R"({"type":"object","properties":{"children":{"type":"array","items":)",
                       R"({"type":"object"})", "}}}", 4)
                    .substr(1) +
                "}}");
  EXPECT_EQ(schema_of(kAsServersHaveThem[14], openai()),
            R"({"type":"object","properties":{"a":{},"b":{}}})");
  EXPECT_EQ(schema_of(kAsServersHaveThem[15], openai()),
            nested(R"({"type":"object","properties":{"self":)", R"({"type":"object"})", "}}", 4));
}

TEST(ToolSchema, FindsReferencesByAnchorIdAndEscapedPointer) {
  const std::string text =
      R"({"type":"object","$defs":{"a/b c":{"type":"string"},"n":{"$anchor":"num","type":"number"},"i":{"$id":"urn:i","type":"integer"}},)"
      R"("properties":{"p":{"$ref":"#/$defs/a~1b%20c"},"q":{"$ref":"#num"},"r":{"$ref":"urn:i"}}})";
  EXPECT_EQ(
      schema_of(text, openai()),
      R"({"type":"object","properties":{"p":{"type":"string"},"q":{"type":"number"},"r":{"type":"integer"}}})");
}

TEST(ToolSchema, OfReferencesThatDoubleEachTimeStaysSmall) {
  std::string text =
      R"({"type":"object","properties":{"p":{"$ref":"#/$defs/d30"}},"$defs":{"d0":{"type":"string"})";
  for (int i = 1; i <= 30; ++i) {
    const std::string below = R"({"$ref":"#/$defs/d)" + std::to_string(i - 1) + "\"}";
    text += ",\"d" + std::to_string(i) + R"(":{"type":"object","properties":{"l":)" + below +
            ",\"r\":" + below + "}}";
  }
  text += "}}";
  for (const ToolRules* rules : all_tool_rules())
    if (!rules->as_is) {
      const FittedSchema fitted = fitted_schema(text, *rules);
      if (fitted.fault.empty()) {
        EXPECT_LE(fitted.schema.size(), kSentSchemaBytesMax);
        EXPECT_EQ(TakenSchema::refusal(Json::parse(fitted.schema), *rules), "") << rules->who;
      }
    }
}

TEST(ToolSchema, IsLeftOutWhereItCannotBeRewritten) {
  EXPECT_EQ(fitted_schema(R"({"type":"array","items":{}})", openai()).fault,
            R"(its schema is of type "array", and arguments are an object)");
  EXPECT_NE(fitted_schema("[]", openai()).fault, "");
  EXPECT_NE(fitted_schema("{", openai()).fault, "");
  EXPECT_NE(fitted_schema("null", openai()).fault, "");
  const std::string large =
      R"({"type":"object","description":")" + std::string(300'000, 'd') + "\"}";
  EXPECT_NE(fitted_schema(large, openai()).fault.find("bytes"), std::string::npos);
  std::string deep = R"({"a":)";
  for (int i = 0; i < 70; ++i) deep += '[';
  for (int i = 0; i < 70; ++i) deep += ']';
  EXPECT_NE(fitted_schema(deep + "}", openai()).fault, "");
}

TEST(ToolSchema, ForGeminiIsOfItsKeywordsAlone) {
  const Json got = Json::parse(schema_of(kAsServersHaveThem[12], gemini()))["properties"];
  EXPECT_EQ(got["m"]["description"], "One of: [1,2].");
  EXPECT_EQ(
      Json::parse(
          schema_of(
              R"({"type":"object","properties":{"a":{"type":["string","null"]},"b":{"const":"x"},)"
              R"("c":{"anyOf":[{"type":"integer"},{"type":"null"}],"description":"d"},"e":{"type":"string","format":"uri"}},"additionalProperties":false})",
              gemini()))
          .dump(),
      R"({"type":"object","properties":{"a":{"type":"string","nullable":true},"b":{"type":"string","enum":["x"]},)"
      R"("c":{"type":"integer","description":"d","nullable":true},"e":{"type":"string"}}})");
}

TEST(ToolSchema, ForAnUnknownServerHasOneTypeEach) {
  EXPECT_EQ(
      schema_of(
          R"({"type":"object","properties":{"n":{"type":["string","null"],"minLength":1,"description":"d"}}})",
          unknown()),
      R"({"type":"object","properties":{"n":{"anyOf":[{"type":"string","minLength":1},{"type":"null"}],"description":"d"}}})");
  EXPECT_EQ(
      schema_of(
          R"({"type":"object","properties":{"n":{"type":"string","anyOf":[{"minLength":1},{"pattern":"a"}]}}})",
          unknown()),
      R"({"type":"object","properties":{"n":{"anyOf":[{"minLength":1,"type":"string"},{"pattern":"a","type":"string"}]}}})");
}

TEST(ToolSchema, ForLlamaCppHasAnchoredPatternsOnly) {
  const Json got =
      Json::parse(schema_of(kAsServersHaveThem[18], rules_of("llama.cpp")))["properties"];
  EXPECT_FALSE(got["d"].contains("pattern"));
  EXPECT_EQ(got["t"]["pattern"], "^a$");
  EXPECT_FALSE(got["k"].contains("not"));
}

TEST(ToolSchema, ForLlamaCppHasNoBoundsThatItsGrammarRefuses) {
  const ToolRules& rules = rules_of("llama.cpp");
  const auto property = [&](const std::string& schema) {
    return Json::parse(schema_of(R"({"type":"object","properties":{"a":)" + schema + "}}", rules))
        .at("properties")
        .at("a");
  };
  EXPECT_EQ(property(R"({"type":"string","maxLength":2001,"minLength":2})"),
            Json::parse(R"({"type":"string","minLength":2})"));
  EXPECT_EQ(property(R"({"type":"array","items":{"type":"string"},"maxItems":500,"minItems":256})"),
            Json::parse(R"({"type":"array","items":{"type":"string"},"minItems":256})"));
  EXPECT_FALSE(property(R"({"type":"object","patternProperties":{"^[a-z]+$":{"type":"string"}},)"
                        R"("additionalProperties":false})")
                   .contains("additionalProperties"))
      << "else it forbade what the patterns allow";
}

TEST(ToolSchema, ForGeminiHasNoEmptyValueAndFormatsOfTheirType) {
  const auto property = [&](const std::string& schema) {
    return Json::parse(
               schema_of(R"({"type":"object","properties":{"a":)" + schema + "}}", gemini()))
        .at("properties")
        .at("a");
  };
  const Json order = property(R"({"type":"string","enum":["","asc","desc"]})");
  EXPECT_FALSE(order.contains("enum"));
  EXPECT_NE(order.at("description").get<std::string>().find("One of: [\"\",\"asc\",\"desc\"]"),
            std::string::npos)
      << order;
  EXPECT_FALSE(property(R"({"type":"string","format":"int64"})").contains("format"));
  EXPECT_FALSE(property(R"({"type":"integer","format":"date-time"})").contains("format"));
  EXPECT_EQ(property(R"({"type":"integer","format":"int64"})").at("format"), "int64");
  EXPECT_EQ(property(R"({"type":"string","format":"date-time"})").at("format"), "date-time");
}

TEST(ToolSchema, IsReadAsItIsByAModelThatCallsInItsText) {
  const ToolRules& text_rules = rules_of("a model that calls tools in its text");
  for (const char* text : kAsServersHaveThem) EXPECT_EQ(schema_of(text, text_rules), text);
}

}  // namespace
}  // namespace ba::llm
