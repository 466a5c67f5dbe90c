// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/fit_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/text/contract/encode_result.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

using testing::HasSubstr;

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
