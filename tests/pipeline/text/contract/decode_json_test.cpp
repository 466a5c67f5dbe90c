// SPDX-License-Identifier: Apache-2.0
// The JSON form of a job: what is read, and how what is wrong is named.
#include <gtest/gtest.h>

#include <random>

#include "tests/pipeline/text/contract/record_builder.hpp"

namespace ba {
namespace {

using test::json_job;
using test::json_record;

std::string reason_of(const std::string& members) {
  return json_record(json_job(members)).reason();
}

TEST(DecodeJson, ReadsBothSpellingsOfNamesAndBothFormsOfNumbers) {
  const Job job =
      json_record(R"({"tenant":"a","jobId":"j","messages":["x"],"limits":{"tokensMax":"12",
                      "stepsPerRoundMax":3.0,"cost_micro_usd_max":1e3,"deadlineMs":5}})")
          .job();
  EXPECT_EQ(job.job_id.value, "j");
  EXPECT_EQ(job.limits, (JobLimits{3, 12, 1000, Milliseconds(5)}));
}

TEST(DecodeJson, NullMeansTheDefaultAndUnknownNamesAreIgnored) {
  const Job job = json_record(json_job(R"("lane":null,"limits":null,"skills":null,"metadata":null,
                                          "new":{"a":[1,{"b":null}]},"other":[[]])"))
                      .job();
  EXPECT_EQ(job.lane, Lane::Normal);
}

TEST(DecodeJson, ReadsTimesAndMaps) {
  const Job job = json_record(json_job(R"("created_at":"2026-03-01T13:00:00.5+01:00",
                                          "metadata":{"team":"ops","é":""})"))
                      .job();
  EXPECT_EQ(to_rfc3339(job.created_at), "2026-03-01T12:00:00.500000Z");
  EXPECT_EQ(job.metadata, (std::map<std::string, std::string>{{"team", "ops"}, {"é", ""}}));
}

TEST(DecodeJson, ASchemaOfAnswersIsAnObjectOrItsText) {
  const std::string compact =
      R"({"type":"object","properties":{"b":{"enum":[1,-2,1.50,1e2,-0,1e400,18446744073709551617,true,null,"é\"","\\d"]},"a":{}},"required":[]})";
  const Job as_object = json_record(json_job(R"("answer_schema": { "type" : "object",
      "properties": {"b": {"enum": [1, -2, 1.50, 1e2, -0, 1e400,
      18446744073709551617, true, null, "é\"", "\\d"]}, "a": {}},
      "required": [ ]}, "lane": "high")"))
                            .job();
  EXPECT_EQ(as_object.answer_schema, compact);
  EXPECT_EQ(as_object.lane, Lane::High) << "what follows is read as before";
  const Job as_text =
      json_record(json_job(R"("answerSchema":"{ \"type\": [\"object\" ] }\n")")).job();
  EXPECT_EQ(as_text.answer_schema, R"({"type":["object"]})");
  for (const char* none : {"null", R"("")"})
    EXPECT_EQ(json_record(json_job(R"("answer_schema":)" + std::string(none))).job().answer_schema,
              "");
}

TEST(DecodeJson, ASchemaThatCannotBeUsedNamesTheField) {
  EXPECT_EQ(reason_of(R"("answer_schema":[])"), "WRONG_TYPE answer_schema");
  EXPECT_EQ(reason_of(R"("answer_schema":true)"), "WRONG_TYPE answer_schema");
  EXPECT_EQ(reason_of(R"("answer_schema":"object")"), "INVALID_FIELD answer_schema");
  EXPECT_EQ(reason_of(R"("answer_schema":{"type":"text"})"), "INVALID_FIELD answer_schema");
  EXPECT_EQ(reason_of(R"("answer_schema":{"$ref":"http://example.org/s"})"),
            "INVALID_FIELD answer_schema");
  EXPECT_EQ(reason_of(R"("answer_schema":{"type":"object","type":"array"})"),
            "BAD_JSON answer_schema.type");
  EXPECT_EQ(reason_of(R"("answer_schema":{"title":"a\u0000"})"), "BAD_UTF8 answer_schema.title");
}

TEST(DecodeJson, WrongTypesNameTheField) {
  EXPECT_EQ(json_record(R"({"tenant":1})").reason(), "WRONG_TYPE tenant");
  EXPECT_EQ(json_record(R"({"messages":["a",{"text":"b"}]})").reason(), "WRONG_TYPE messages[1]");
  EXPECT_EQ(json_record(R"({"messages":["a","b",null]})").reason(), "WRONG_TYPE messages[2]");
  EXPECT_EQ(reason_of(R"("metadata":{"a":null})"), "WRONG_TYPE metadata[a]");
  EXPECT_EQ(json_record(R"({"messages":"a"})").reason(), "WRONG_TYPE messages");
  EXPECT_EQ(json_record(R"({"messages":{"0":"a"}})").reason(), "WRONG_TYPE messages");
  EXPECT_EQ(reason_of(R"("limits":[])"), "WRONG_TYPE limits");
  EXPECT_EQ(reason_of(R"("limits":3)"), "WRONG_TYPE limits");
  EXPECT_EQ(reason_of(R"("limits":{"tokens_max":"many"})"), "WRONG_TYPE limits.tokens_max");
  EXPECT_EQ(reason_of(R"("limits":{"tokens_max":1.5})"), "WRONG_TYPE limits.tokens_max");
  EXPECT_EQ(reason_of(R"("limits":{"tokens_max":9223372036854775808})"),
            "WRONG_TYPE limits.tokens_max");
  EXPECT_EQ(reason_of(R"("limits":{"steps_per_round_max":2147483648})"),
            "WRONG_TYPE limits.steps_per_round_max");
  EXPECT_EQ(reason_of(R"("metadata":{"a":1})"), "WRONG_TYPE metadata[a]");
  EXPECT_EQ(reason_of(R"("metadata":["a"])"), "WRONG_TYPE metadata");
  EXPECT_EQ(reason_of(R"("created_at":"yesterday")"), "WRONG_TYPE created_at");
  EXPECT_EQ(reason_of(R"("created_at":{"seconds":1})"), "WRONG_TYPE created_at");
}

TEST(DecodeJson, RefusesWhatIsNoJson) {
  for (const char* text :
       {"{", "{} {}", "{}x", R"({"a":NaN})", R"({"a":Infinity})", R"({"a":1e999})", R"({"a":01})",
        R"({'a':1})", R"({"a":1,})", R"({a:1})", "{/**/}", "{\"a\":\"\n\"}", R"({"a":"\x"})"})
    EXPECT_EQ(json_record(text).reason().substr(0, 8), "BAD_JSON") << text;
  EXPECT_EQ(json_record(std::string("{}\0{}", 5)).reason(), "BAD_JSON");
}

TEST(DecodeJson, TakesNumbersOfAnySizeInASchemaOfAnswersOnly) {
  const Job job =
      json_record(json_job(R"("answer_schema":{"type":"number","maximum":1e400})")).job();
  EXPECT_EQ(job.answer_schema, R"({"type":"number","maximum":1e400})");
  EXPECT_EQ(reason_of(R"("limits":{"tokens_max":1e400})"), "BAD_JSON limits.tokens_max");
  EXPECT_EQ(reason_of(R"("unknown":[1,1e400])"), "BAD_JSON unknown");
  EXPECT_EQ(json_record(json_job(R"("limits":{"tokens_max":-0})")).job().limits.tokens_max,
            json_record(json_job(R"("limits":{"tokens_max":0})")).job().limits.tokens_max);
}

TEST(DecodeJson, RefusesNamesThatRepeatInEitherSpelling) {
  EXPECT_EQ(reason_of(R"("lane":"high","lane":"high")"), "BAD_JSON lane");
  EXPECT_EQ(reason_of(R"("jobId":"j-1")"), "BAD_JSON job_id");
  EXPECT_EQ(reason_of(R"("metadata":{"a":"1","a":"2"})"), "BAD_JSON metadata[a]");
  EXPECT_EQ(reason_of(R"("limits":{"tokens_max":1,"tokensMax":1})"), "BAD_JSON limits.tokens_max");
  EXPECT_EQ(reason_of(R"("unknown":{"a":1,"a":2})"), "BAD_JSON unknown.a");
}

TEST(DecodeJson, RefusesBrokenUtf8AndNulCharacters) {
  EXPECT_EQ(json_record("{\"tenant\":\"a\xff\"}").reason(), "BAD_UTF8 tenant");
  EXPECT_EQ(json_record("{\"messages\":[\"a\",\"\xc0\x80\"]}").reason(), "BAD_UTF8 messages[1]");
  // In a name: neither the member before it nor one of its own can be named.
  EXPECT_EQ(json_record("{\"tenant\":\"a\",\"\xff\":1}").reason(), "BAD_UTF8");
  EXPECT_EQ(json_record("{\"metadata\":{\"a\":\"1\",\"\xff\":\"2\"}}").reason(),
            "BAD_UTF8 metadata");
  EXPECT_EQ(json_record(R"({"messages":["a\u0000"]})").reason(), "BAD_UTF8 messages[0]");
  EXPECT_EQ(json_record(R"({"tenant":"\ud800"})").reason(), "BAD_JSON tenant");
  EXPECT_EQ(reason_of(R"("metadata":{"a\u0000":"1"})").substr(0, 8), "BAD_UTF8");
}

TEST(DecodeJson, MutatedTextIsAJobOrAReason) {
  const std::string whole = json_job(R"("limits":{"tokens_max":"7"},"metadata":{"a":"\u00e9"},
                                        "created_at":"2026-03-01T12:00:00Z","skills":["s"])");
  constexpr std::string_view kPieces = "{}[]\",:\\u0e-+.tn \xff";
  for (unsigned seed = 0; seed < 10000; ++seed) {
    std::mt19937 random(seed);
    std::string text = whole;
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits)
      text[random() % text.size()] = kPieces[random() % kPieces.size()];
    if (random() % 4 == 0) text.resize(random() % text.size());
    const auto record = json_record(text);
    if (const std::string reason = record.reason(); reason.empty()) {
      ASSERT_FALSE(record.job().tenant.empty()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ba
