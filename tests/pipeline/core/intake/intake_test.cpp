// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "pipeline/core/intake/intake_batch.hpp"
#include "pipeline/core/intake/intake_window.hpp"

namespace ba {
namespace {

TEST(IntakeWindow, LowerLanesStopEarlier) {
  IntakeWindow window({100, 10'000, {100, 90, 75}, 80});
  EXPECT_FALSE(window.update({74, 0}));
  EXPECT_TRUE(window.update({75, 0}));
  EXPECT_TRUE(window.paused(Lane::Batch));
  EXPECT_FALSE(window.paused(Lane::Normal));
  EXPECT_TRUE(window.update({90, 0}));
  EXPECT_TRUE(window.paused(Lane::Normal));
  EXPECT_FALSE(window.paused(Lane::High));
  EXPECT_TRUE(window.update({100, 0}));
  EXPECT_TRUE(window.paused(Lane::High));
}

TEST(IntakeWindow, GoesOnOnlyClearlyBelowTheBound) {
  IntakeWindow window({100, 10'000, {100, 100, 100}, 80});
  EXPECT_TRUE(window.update({100, 0}));
  EXPECT_FALSE(window.update({81, 0}));
  EXPECT_TRUE(window.paused(Lane::High));
  EXPECT_TRUE(window.update({80, 0}));
  EXPECT_FALSE(window.paused(Lane::High));
  EXPECT_FALSE(window.update({99, 0}));
}

TEST(IntakeWindow, AWindowOfOneJobOpensAgainWhenItIsDone) {
  IntakeWindow window({1, 10'000, {100, 90, 75}, 80});
  EXPECT_TRUE(window.update({1, 0}));
  EXPECT_TRUE(window.paused(Lane::Batch));
  EXPECT_TRUE(window.update({0, 0}));
  EXPECT_FALSE(window.paused(Lane::Batch));
}

TEST(IntakeWindow, ABacklogOfOneConversationPausesOnlyAtTheBoundOfAllWaiting) {
  IntakeWindow window({100, 1000, {100, 90, 75}, 80});
  EXPECT_FALSE(window.update({1, 700})) << "one could run, 699 wait behind it";
  EXPECT_TRUE(window.update({1, 750}));
  EXPECT_TRUE(window.paused(Lane::Batch));
  EXPECT_FALSE(window.paused(Lane::Normal));
  EXPECT_TRUE(window.update({1, 1000}));
  EXPECT_TRUE(window.paused(Lane::High));
  EXPECT_TRUE(window.update({1, 600}));
  EXPECT_FALSE(window.paused(Lane::Batch));
}

TEST(IntakeWindow, EachOfTheTwoBoundsHasItsOwnLevelToGoOn) {
  IntakeWindow window({100, 1000, {100, 100, 100}, 80});
  EXPECT_TRUE(window.update({100, 900}));
  EXPECT_TRUE(window.update({10, 900})) << "900 never reached the bound of what waits";
  EXPECT_FALSE(window.paused(Lane::High));
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

TEST(IntakeBatch, OffsetsOfAnOlderEpochAreForgotten) {
  RawRecord before = record("a", 0, 900);
  RawRecord after = record("a", 0, 3);
  after.source.epoch = 1;
  EXPECT_EQ(next_offsets({before, after}), (std::vector<PartitionOffset>{{"a", "", 0, 4, 1}}));
  EXPECT_EQ(next_offsets({after, before}), (std::vector<PartitionOffset>{{"a", "", 0, 4, 1}}));
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
