// SPDX-License-Identifier: Apache-2.0
// Whether a model's text is an answer of a schema, and what it is told if not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/text/answer/answer.hpp"

namespace ba {
namespace {

using testing::HasSubstr;

constexpr const char* kCity =
    R"({"type":"object","properties":{"city":{"type":"string"},"people":{"type":"integer","minimum":1},)"
    R"("tags":{"type":"array","items":{"enum":["a","b"]}}},"required":["city"],"additionalProperties":false})";

std::string answer(std::string_view schema, std::string_view text) {
  const auto read = read_answer(schema, text);
  return read ? *read : "refused: " + read.error().message;
}

TEST(ReadAnswer, KeepsNamesInOrderAndNumbersAsTheyWereSpelt) {
  EXPECT_EQ(answer("{}",
                   "\n { \"b\" : 1.50,\t\"a\":\"x \\\" { y\\\\\" , \"n\": [1e2, "
                   "12345678901234567890123] } "),
            R"({"b":1.50,"a":"x \" { y\\","n":[1e2,12345678901234567890123]})");
  EXPECT_EQ(answer("{}", "\"Zürich 漢字 \\u00fc\""), "\"Zürich 漢字 \\u00fc\"");
}

TEST(ReadAnswer, JudgesNumbersByTheirExactValue) {
  const auto valid = [](const char* schema, const char* number) {
    return read_answer(schema, number).has_value();
  };
  for (const char* number : {"18446744073709551617", "1e400", "1.10", "-0", "1.0"})
    EXPECT_EQ(answer(R"({"type":"number"})", number), number);
  EXPECT_TRUE(valid(R"({"type":"integer"})", "123456789012345678901234567890"));
  EXPECT_TRUE(valid(R"({"type":"integer"})", "1e400"));
  EXPECT_FALSE(valid(R"({"type":"integer"})", "9007199254740992.5"));
  EXPECT_FALSE(valid(R"({"type":["string","null","array","object","boolean"]})", "1.10"));
  EXPECT_FALSE(valid(R"({"maximum":18446744073709551616})", "18446744073709551617"));
  EXPECT_TRUE(valid(R"({"exclusiveMinimum":18446744073709551616})", "18446744073709551617"));
  EXPECT_TRUE(valid(R"({"multipleOf":0.01})", "12345678901234567890.12"));
  EXPECT_FALSE(valid(R"({"multipleOf":2})", "18446744073709551617"));
  EXPECT_TRUE(valid(R"({"enum":[1.1]})", "1.10"));
  EXPECT_TRUE(valid(R"({"const":{"a":[1]}})", R"({"a":[1.00]})"));
  EXPECT_FALSE(valid(R"({"const":18446744073709551616})", "18446744073709551617"));
  EXPECT_FALSE(valid(R"({"uniqueItems":true})", "[1.1,1.10]"));
  EXPECT_TRUE(valid(R"({"uniqueItems":true})", "[18446744073709551616,18446744073709551617]"));
}

TEST(ReadAnswer, TakesJsonOutOfAFence) {
  EXPECT_EQ(answer(kCity, "```json\n{\"city\": \"Oslo\"}\n```"), R"({"city":"Oslo"})");
  EXPECT_EQ(answer(kCity, "  ```\r\n{\"city\": \"Oslo\"}```\n"), R"({"city":"Oslo"})");
  EXPECT_EQ(answer(kCity, "```JSON \n{\"city\": \"Oslo\"}\n\n```"), R"({"city":"Oslo"})");
}

TEST(ReadAnswer, TakesNothingElseOutOfAText) {
  for (const char* text :
       {"Here it is: {\"city\":\"Oslo\"}", "```json\n{\"city\":\"Oslo\"}\n```\nDone.",
        "```python\n{\"city\":\"Oslo\"}\n```", "```{\"city\":\"Oslo\"}```", "```\n```", "```",
        "``````", "{\"city\":\"Oslo\"} {\"city\":\"Rome\"}", "", "city: Oslo"})
    EXPECT_THAT(answer(kCity, text), HasSubstr("refused: the answer: it is not one JSON value"))
        << text;
}

TEST(ReadAnswer, NamesThePlaceTheValueAndTheRule) {
  EXPECT_EQ(answer(kCity, "[]"),
            "refused: the answer: an array of 0 items is there; it must be of type object (rule "
            "\"type\")");
  EXPECT_EQ(answer(kCity, "{\"city\":7}"),
            "refused: city: 7 is there; it must be of type string (rule \"type\")");
  EXPECT_EQ(answer(kCity, "{}"),
            "refused: the answer: property \"city\" is missing (rule \"required\")");
  EXPECT_EQ(answer(kCity, "{\"city\":\"\",\"town\":1}"),
            "refused: the answer: there may be no property \"town\"; there may be \"city\", "
            "\"people\", \"tags\" (rule \"additionalProperties\")");
  EXPECT_EQ(answer(kCity, "{\"city\":\"\",\"people\":0}"),
            "refused: people: 0 is there; it must be at least 1 (rule \"minimum\")");
  EXPECT_EQ(answer(kCity, "{\"city\":\"\",\"tags\":[\"a\",\"c\"]}"),
            "refused: tags[1]: \"c\" is there; it must be one of \"a\", \"b\" (rule \"enum\")");
}

TEST(ReadAnswer, TellsOfTheAlternativeThatGotDeepest) {
  const char* schema =
      R"({"anyOf":[{"type":"null"},{"type":"object","properties":{"a":{"items":{"type":"string"}}}}]})";
  EXPECT_EQ(answer(schema, R"({"a":["x",1]})"),
            "refused: a[1]: 1 is there; it must be of type string (rule \"type\")");
  EXPECT_EQ(answer(schema, "7"),
            "refused: the answer: 7 is there; it fits none of 2 alternatives (rule \"anyOf\")");
}

TEST(ReadAnswer, RefusesAnObjectThatHasANameTwice) {
  EXPECT_THAT(answer("{}", R"({"a":{"b":1,"b":1}})"), HasSubstr("the name \"b\" is there twice"));
  EXPECT_THAT(answer("{}", R"({"a":{"b":1},"\u0061":1})"),
              HasSubstr("the name \"a\" is there twice"));
  EXPECT_THAT(answer("{}", R"({"":1,"":2})"), HasSubstr("the name \"\" is there twice"));
  EXPECT_EQ(answer("{}", R"([{"a":1},{"a":{"a":1}}])"), R"([{"a":1},{"a":{"a":1}}])");
}

/// Whatever takes quadratic time of it takes minutes.
TEST(ReadAnswer, ReadsAnArrayOfVeryManyObjects) {
  std::string many = "[";
  for (int i = 0; i < 1'000'000; ++i) many += "{\"a\":" + std::to_string(i) + "},";
  many.back() = ']';
  EXPECT_TRUE(answer(R"({"type":"array"})", many) == many);
}

TEST(ReadAnswer, SaysOneShortStorableLineWhateverTheAnswerIs) {
  const std::string long_name(100'000, 'n');
  const std::string told =
      answer(kCity, "{\"city\":\"x\",\"" + long_name + "\\u0000\\n\":1}").substr(9);
  EXPECT_LE(told.size(), 1010u);
  EXPECT_EQ(told.find('\n'), told.npos);
  EXPECT_THAT(answer(R"({"additionalProperties":{"type":"null"}})", "{\"a\\u0000b\":1}"),
              HasSubstr("a\uFFFDb: 1 is there"));
  EXPECT_LE(answer(R"({"maxLength":3})", "\"" + std::string(1 << 20, 'x') + "\"").size(), 200u);
}

TEST(ReadAnswer, EndsSoonWhateverSchemaAndAnswerAre) {
  // Two ways down at each level: 2^60 ways to the last one.
  const char* twofold =
      R"({"allOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}]})";
  std::string deep = "1";
  for (int i = 0; i < 60; ++i) deep = R"({"a":)" + deep + "}";
  EXPECT_THAT(answer(twofold, deep), HasSubstr("too large or too deep to be checked"));
  // Likewise without going down.
  std::string chain = R"({"definitions":{"d0":{"type":"string"})";
  for (int i = 1; i < 60; ++i) {
    const std::string before = R"({"$ref":"#/definitions/d)" + std::to_string(i - 1) + "\"}";
    chain += ",\"d" + std::to_string(i) + R"(":{"anyOf":[)" + before + "," + before + "]}";
  }
  EXPECT_THAT(answer(chain + R"(},"$ref":"#/definitions/d59"})", "1"),
              HasSubstr("too large or too deep to be checked"));
  std::string items = "[0";
  for (int i = 1; i < 100'000; ++i) items += "," + std::to_string(i);
  EXPECT_EQ(answer(R"({"uniqueItems":true,"items":{"type":"integer"}})", items + "]").front(), '[');
  EXPECT_THAT(answer(R"({"pattern":"^(a+)+$"})", "\"" + std::string(1 << 20, 'a') + "b\""),
              HasSubstr("rule \"pattern\""));
}

TEST(ReadAnswer, AnswersWithTheSchemasFlawWhereItCannotBeUsed) {
  EXPECT_THAT(answer(R"({"type":"text"})", "1"), HasSubstr("refused: type: "));
}

TEST(AnswerTexts, TheSystemPromptEndsWithTheSchema) {
  EXPECT_EQ(with_answer_schema("Be brief.", ""), "Be brief.");
  const std::string prompt = with_answer_schema("Be brief.", "{\"type\":\"object\"}");
  EXPECT_TRUE(prompt.starts_with("Be brief.\n\n"));
  EXPECT_TRUE(prompt.ends_with("\n{\"type\":\"object\"}"));
  EXPECT_THAT(answer_repair_text("city: 7 is there"), HasSubstr("city: 7 is there"));
}

}  // namespace
}  // namespace ba
