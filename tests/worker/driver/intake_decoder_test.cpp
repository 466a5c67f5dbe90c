// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/intake_decoder.hpp"

#include <gtest/gtest.h>

#include "pipeline/text/contract/encode_job.hpp"
#include "pipeline/text/contract/record.hpp"

namespace ba::driver {
namespace {

IntakeJob taken(const std::string& topic, const std::string& members) {
  const DecodeRecord decode =
      make_intake_decoder({}, {}, {"ba.jobs.high", "ba.jobs", "ba.jobs.batch"});
  RawRecord record;
  record.value = R"({"tenant":"a","job_id":"j","messages":["m"])" + members + "}";
  record.source.topic = topic;
  return std::get<IntakeJob>(decode(std::move(record)));
}

TEST(IntakeDecoder, AJobThatNamesNoLaneGetsThatOfItsTopic) {
  EXPECT_EQ(taken("ba.jobs.high", "").job.lane, Lane::High);
  EXPECT_EQ(taken("ba.jobs", "").job.lane, Lane::Normal);
  EXPECT_EQ(taken("ba.jobs.batch", R"(,"lane":"")").job.lane, Lane::Batch);
}

TEST(IntakeDecoder, ANamedLaneIsKeptWhateverTheTopic) {
  for (const char* topic : {"ba.jobs.high", "ba.jobs", "ba.jobs.batch"}) {
    EXPECT_EQ(taken(topic, R"(,"lane":"normal")").job.lane, Lane::Normal) << topic;
    EXPECT_EQ(taken(topic, R"(,"lane":"high")").job.lane, Lane::High) << topic;
  }
}

TEST(IntakeDecoder, ATombstoneIsADeadLetterThatSaysSo) {
  const DecodeRecord decode = make_intake_decoder({}, {}, {});
  RawRecord record;
  record.no_value = true;
  const auto letter = std::get<DeadLetter>(decode(std::move(record)));
  EXPECT_EQ(letter.message, "the record has no value");
  EXPECT_EQ(header(letter.record.headers, "ba.error.no-value"), "true");
}

TEST(IntakeDecoder, ThePayloadNamesTheLaneTheJobGot) {
  const IntakeJob job = taken("ba.jobs.batch", "");
  const auto back = decode_job_payload(job.payload);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->lane, Lane::Batch);
}

}  // namespace
}  // namespace ba::driver
