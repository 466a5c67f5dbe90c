// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "pipeline/intake/intake_batch.hpp"
#include "pipeline/intake/intake_window.hpp"

namespace ba {
namespace {

TEST(IntakeWindow, LowerLanesStopEarlier) {
  IntakeWindow window({100, {100, 90, 75}, 80});
  EXPECT_FALSE(window.update(74));
  EXPECT_TRUE(window.update(75));
  EXPECT_TRUE(window.paused(Lane::Batch));
  EXPECT_FALSE(window.paused(Lane::Normal));
  EXPECT_TRUE(window.update(90));
  EXPECT_TRUE(window.paused(Lane::Normal));
  EXPECT_FALSE(window.paused(Lane::High));
  EXPECT_TRUE(window.update(100));
  EXPECT_TRUE(window.paused(Lane::High));
}

TEST(IntakeWindow, GoesOnOnlyClearlyBelowTheBound) {
  IntakeWindow window({100, {100, 100, 100}, 80});
  EXPECT_TRUE(window.update(100));
  EXPECT_FALSE(window.update(81));
  EXPECT_TRUE(window.paused(Lane::High));
  EXPECT_TRUE(window.update(80));
  EXPECT_FALSE(window.paused(Lane::High));
  EXPECT_FALSE(window.update(99));
}

TEST(IntakeWindow, AWindowOfOneJobOpensAgainWhenItIsDone) {
  IntakeWindow window({1, {100, 90, 75}, 80});
  EXPECT_TRUE(window.update(1));
  EXPECT_TRUE(window.paused(Lane::Batch));
  EXPECT_TRUE(window.update(0));
  EXPECT_FALSE(window.paused(Lane::Batch));
}

RawRecord record(const std::string& topic, int partition, std::int64_t offset) {
  RawRecord record;
  record.source = {topic, "", partition, offset, 0};
  record.value = topic + "/" + std::to_string(offset);
  return record;
}

TEST(IntakeBatch, NextOffsetsAreOnePastTheGreatestOfEachPartition) {
  const auto offsets =
      next_offsets({record("b", 1, 7), record("a", 0, 3), record("b", 1, 9), record("b", 0, 1)});
  EXPECT_EQ(offsets,
            (std::vector<PartitionOffset>{{"a", "", 0, 4}, {"b", "", 0, 2}, {"b", "", 1, 10}}));
}

TEST(IntakeBatch, EveryRecordBecomesAJobOrADeadLetterInOrder) {
  const auto decode = [](RawRecord raw) -> IntakeRecord {
    if (raw.source.offset % 2 == 0) {
      IntakeJob job;
      job.payload = raw.value;
      return job;
    }
    DeadLetter letter;
    letter.value = raw.value;
    return letter;
  };
  const IntakeBatch batch = build_intake_batch(
      {record("a", 0, 1), record("a", 0, 2), record("a", 0, 3), record("a", 0, 4)}, decode);
  ASSERT_EQ(batch.jobs.size(), 2u);
  ASSERT_EQ(batch.dead_letters.size(), 2u);
  EXPECT_EQ(batch.jobs[0].payload, "a/2");
  EXPECT_EQ(batch.jobs[1].payload, "a/4");
  EXPECT_EQ(batch.dead_letters[0].value, "a/1");
  EXPECT_EQ(batch.dead_letters[1].value, "a/3");
  EXPECT_EQ(batch.offsets, (std::vector<PartitionOffset>{{"a", "", 0, 5}}));
}

}  // namespace
}  // namespace ba
