// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/encode_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ba/v1/analysis_result.pb.h"
#include "pipeline/text/message/utf8.hpp"
#include "tests/pipeline/text/contract/sample_values.hpp"

namespace ba {
namespace {

using test::sample_result;
using testing::HasSubstr;

TEST(EncodeResult, ComesBackInBothEncodings) {
  for (const Encoding encoding : {Encoding::Protobuf, Encoding::Json}) {
    const std::string bytes = encode_result(sample_result(), encoding);
    for (const std::string_view type : {media_type(encoding), std::string_view()}) {
      const auto back = decode_result(bytes, type);
      ASSERT_TRUE(back) << back.error().message;
      EXPECT_EQ(*back, sample_result());
    }
    EXPECT_EQ(encode_result(sample_result(), encoding), bytes);
  }
}

TEST(EncodeResult, JsonHasTheNamesOfTheSchema) {
  const std::string json = encode_result(sample_result(), Encoding::Json);
  EXPECT_THAT(json, HasSubstr(R"("job_id":"j-1")"));
  EXPECT_THAT(json, HasSubstr(R"("outcome":"step_limit")"));
  EXPECT_THAT(json, HasSubstr(R"("cost_micro_usd":"12345")"));
  EXPECT_THAT(json, HasSubstr(R"("created_at":"2026-03-01T12:00:00.000001Z")"));
}

TEST(EncodeResult, ForReadersOfJsonEveryNameIsThereWhateverItsValue) {
  JobResult empty;
  empty.outcome = Outcome::Completed;
  empty.answers.push_back({0, ""});
  EXPECT_EQ(result_to_json(empty),
            R"({"schema_version":1,"result_id":"","tenant":"","job_id":"","conversation_id":"",)"
            R"("outcome":"completed","answers":[{"round":0,"text":""}],)"
            R"("usage":{"input_tokens":"0","cache_read_tokens":"0","cache_write_tokens":"0",)"
            R"("output_tokens":"0","thinking_tokens":"0"},"cost_micro_usd":"0",)"
            R"("cost_incomplete":false,"rounds":0,"steps":0,"tool_calls":0,)"
            R"("tool_calls_failed":0,"wasted_model_calls":0,"attempts":1,)"
            R"("created_at":"1970-01-01T00:00:00Z","started_at":"1970-01-01T00:00:00Z",)"
            R"("finished_at":"1970-01-01T00:00:00Z","metadata":{},"model":"",)"
            R"("worker_version":""})");
  EXPECT_EQ(decode_result(result_to_json(empty), "").value(), empty);
  empty.answers.clear();
  EXPECT_THAT(result_to_json(empty), HasSubstr(R"("answers":[],)"));
  EXPECT_EQ(decode_result(result_to_json(sample_result()), "").value(), sample_result());
}

TEST(EncodeResult, WhatCannotBeReadSaysWhy) {
  EXPECT_THAT(decode_result("{", "").error().message, HasSubstr("BAD_JSON"));
  EXPECT_THAT(decode_result(R"({"outcome":"splendid"})", "").error().message,
              HasSubstr("unknown outcome \"splendid\""));
  const auto newer = decode_result(R"({"schema_version":2})", "");
  EXPECT_EQ(newer.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(newer.error().message, HasSubstr("schema_version 2"));
}

TEST(EncodeResult, ATimeOutsideTheFormatsYearsIsRefusedByItsField) {
  v1::AnalysisResult proto;
  proto.set_outcome("completed");
  proto.mutable_started_at()->set_seconds(253402300800);  // 10000-01-01
  const auto read = decode_result(proto.SerializeAsString(), media_type(Encoding::Protobuf));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::Corrupt);
  EXPECT_THAT(read.error().message, HasSubstr("started_at"));
}

JobResult result_with(const std::vector<std::string>& texts) {
  JobResult result;
  result.tenant = TenantId("acme");
  result.job_id = JobId("weekly");
  for (const std::string& text : texts)
    result.answers.push_back({static_cast<int>(result.answers.size()), text});
  return result;
}

Publication limited(std::int64_t bytes, Encoding encoding = Encoding::Json) {
  Publication publication;
  publication.result_bytes_max = bytes;
  publication.encoding = encoding;
  return publication;
}

TEST(FitResult, LeavesAResultThatFitsAsItIs) {
  const JobResult result = result_with({"a", std::string(1000, 'b')});
  EXPECT_EQ(fit_result(result, limited(10'000)), result);
}

TEST(FitResult, CutsTheLongestAnswersToOneLengthAndSaysSo) {
  const JobResult result =
      fit_result(result_with({"short", std::string(50'000, 'b'), std::string(20'000, 'c'),
                              std::string(3'000, 'd')}),
                 limited(30'000));
  EXPECT_LE(encode_result(result, Encoding::Json).size(), 30'000u);
  EXPECT_GT(encode_result(result, Encoding::Json).size(), 25'000u);
  EXPECT_EQ(result.answers[0].text, "short");
  EXPECT_EQ(result.answers[3].text.size(), 3'000u);
  EXPECT_THAT(result.answers[1].text, HasSubstr(" of 50000 bytes (result_bytes_max)]"));
  EXPECT_THAT(result.answers[2].text, HasSubstr(" of 20000 bytes (result_bytes_max)]"));
  EXPECT_EQ(result.answers[1].text.find('\n'), result.answers[2].text.find('\n'));
  EXPECT_EQ(result.outcome, Outcome::Completed);
}

TEST(FitResult, FitsAlsoWhereEveryCharacterIsEscapedOrLong) {
  std::string odd;
  for (int i = 0; i < 20'000; ++i) odd += "\x01é€";
  for (const Encoding encoding : {Encoding::Json, Encoding::Protobuf}) {
    std::vector<std::string> texts(64, odd);
    const JobResult result = fit_result(result_with(texts), limited(100'000, encoding));
    EXPECT_LE(encode_result(result, encoding).size(), 100'000u);
    for (const Answer& answer : result.answers) EXPECT_FALSE(utf8_defect(answer.text));
  }
}

}  // namespace
}  // namespace ba
