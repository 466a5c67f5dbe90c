// SPDX-License-Identifier: Apache-2.0
// The encoders write the samples of schemas/golden. No two fields of these samples are alike, so
// two that an encoder mixes up are seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "pipeline/text/contract/dead_letter.hpp"
#include "pipeline/text/contract/encode_job.hpp"
#include "pipeline/text/contract/encode_metrics.hpp"
#include "pipeline/text/contract/encode_result.hpp"
#include "tests/pipeline/text/contract/golden_files.hpp"
#include "tests/pipeline/text/contract/record_builder.hpp"
#include "tests/pipeline/text/contract/sample_values.hpp"

namespace ba {
namespace {

using nlohmann::json;
using test::golden;
using testing::SizeIs;

using Encoder = std::function<std::string(Encoding)>;

/// `encode` writes the sample, in both encodings.
void expect_written(const std::string& sample, const Encoder& encode) {
  EXPECT_EQ(json::parse(encode(Encoding::Json)), json::parse(golden(sample + ".json")));
  EXPECT_EQ(encode(Encoding::Protobuf), golden(sample + ".pb"));
}

class WrittenSample : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(All, WrittenSample,
                         testing::Values("analysis_job", "analysis_result.written",
                                         "metrics_report.written", "progress_event.written",
                                         "dead_letter.job", "dead_letter.record"),
                         [](const auto& sample) {
                           std::string name = sample.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST_P(WrittenSample, HasNoTwoFieldsAlike) {
  std::map<std::string, std::vector<std::string>> places;
  const json flat = json::parse(golden(std::string(GetParam()) + ".json")).flatten();
  for (const auto& [place, value] : flat.items())
    places[value.is_string() ? value.get<std::string>() : value.dump()].push_back(place);
  for (const auto& [value, where] : places) EXPECT_THAT(where, SizeIs(1)) << value;
}

TEST(WrittenSamples, TheJobsEncoderWritesIts) {
  test::TestRecord record;
  record.value = golden("analysis_job.json");
  const Job job = record.job();
  expect_written("analysis_job", [&](Encoding encoding) {
    return encoding == Encoding::Json ? job_to_json(job) : encode_job(job);
  });
}

TEST(WrittenSamples, TheResultsEncoderWritesIts) {
  expect_written("analysis_result.written",
                 [](Encoding encoding) { return encode_result(test::sample_result(), encoding); });
}

TEST(WrittenSamples, TheMetricsReportsEncoderWritesIts) {
  expect_written("metrics_report.written", [](Encoding encoding) {
    return encode_metrics(test::sample_job(), test::sample_report(), encoding);
  });
}

TEST(WrittenSamples, TheProgressEventsEncoderWritesIts) {
  expect_written("progress_event.written", [](Encoding encoding) {
    return encode_progress(test::sample_progress(), encoding);
  });
}

TEST(WrittenSamples, TheDeadLetterOfAJobIsWritten) {
  const Job job = test::sample_job();
  const ConversationExcerpt excerpt = test::sample_excerpt();
  const JobError error{"internal", "ATTEMPTS_EXHAUSTED",
                       "each of 3 attempts ended in a crash of its worker"};
  expect_written("dead_letter.job", [&](Encoding encoding) {
    Publication publication;
    publication.encoding = encoding;
    return make_job_dead_letter({job, "the job", excerpt, error, 4, {}}, publication).value;
  });
}

TEST(WrittenSamples, TheDeadLetterOfARecordIsShown) {
  const Headers headers = {{"content-type", "application/json"}};
  const DeadLetter letter =
      make_dead_letter({"weekly-report",
                        "{\"messages\":[\"a\xff\"]}",
                        headers,
                        {"ba.jobs", "", 3, 42, 1772366400123}},
                       {"BAD_UTF8", "messages[0]", "byte 1 is not valid UTF-8"}, {});
  EXPECT_EQ(json::parse(dead_letter_to_json(letter)),
            json::parse(golden("dead_letter.record.json")));
}

}  // namespace
}  // namespace ba
