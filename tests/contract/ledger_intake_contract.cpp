// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

TEST_F(LedgerContract, IntakeAndClaimAreOneCall) {
  const auto self = enter();
  const auto answer = intake(self, batch_of({{.job_id = "a"}, {.job_id = "b"}}), 1);
  EXPECT_THAT(names(answer), ElementsAre("acme/a"));
  EXPECT_EQ(answer->waiting, 1);
  EXPECT_EQ(answer->jobs[0].attempt, 1);
  EXPECT_FALSE(answer->jobs[0].after_crash);
  EXPECT_GT(answer->jobs[0].first_claimed_at, WallTime{} - std::chrono::hours(1));
}

TEST_F(LedgerContract, AJobIsTakenInOnce) {
  const auto self = enter();
  const IntakeBatch batch = batch_of({{.job_id = "a"}, {.job_id = "b"}, {.job_id = "a"}});
  ASSERT_TRUE(intake(self, batch));
  const auto repeated = intake(self, batch);
  EXPECT_EQ(repeated->waiting, 2);
}

TEST_F(LedgerContract, TheSameJobIdOfTwoTenantsIsTwoJobs) {
  const auto self = enter();
  const auto answer =
      intake(self, batch_of({{.job_id = "a"}, {.job_id = "a", .tenant = "globex"}}), 10);
  EXPECT_THAT(names(answer), UnorderedElementsAre("acme/a", "globex/a"));
}

TEST_F(LedgerContract, AFinishedJobIsNotTakenInAgain) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, finished(job)));
  const auto answer = intake(self, batch_of({{.job_id = "job-1"}}), 10);
  EXPECT_THAT(names(answer), IsEmpty());
  EXPECT_EQ(answer->waiting, 0);
}

TEST_F(LedgerContract, ADeadLetterAndItsRecordAreWrittenOnce) {
  const auto self = enter();
  ASSERT_THAT(*own_shards(self), SizeIs(LedgerRig::kShards));
  IntakeBatch batch;
  batch.dead_letters = {dead_letter(7, 2), dead_letter(8, 2)};
  ASSERT_TRUE(intake(self, batch));
  ASSERT_TRUE(intake(self, batch));
  const auto records = next_batch(self, 2, 0);
  ASSERT_TRUE(records) << records.error().message;
  EXPECT_THAT(records->records,
              ElementsAre(outbox_record("dead-7", 2), outbox_record("dead-8", 2)));
}

TEST_F(LedgerContract, ADeadLetterThatIsReadAgainInANewEpochIsWrittenOnce) {
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));
  IntakeBatch batch;
  batch.dead_letters = {dead_letter(7, 2)};
  ASSERT_TRUE(intake(self, batch));
  const std::string before = rig_->dump();
  batch.dead_letters[0].source.epoch = 1;
  ASSERT_TRUE(intake(self, batch));
  EXPECT_EQ(rig_->dump(), before);
}

TEST_F(LedgerContract, OffsetsOnlyGrow) {
  const auto self = enter();
  IntakeBatch batch;
  batch.offsets = {{"ba.jobs", "id-1", 0, 100}, {"ba.jobs", "id-1", 1, 5}};
  ASSERT_TRUE(intake(self, batch));
  batch.offsets = {{"ba.jobs", "id-1", 0, 90}, {"ba.jobs", "id-1", 1, 6}};
  ASSERT_TRUE(intake(self, batch));
  const auto known =
      offsets({{"ba.jobs", "id-1", 1, 0}, {"ba.jobs", "id-1", 0, 0}, {"ba.jobs", "id-2", 0, 0}});
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_THAT(*known, ElementsAre(PartitionOffset{"ba.jobs", "id-1", 1, 6},
                                  PartitionOffset{"ba.jobs", "id-1", 0, 100},
                                  PartitionOffset{"ba.jobs", "id-2", 0, -1}));
}

TEST_F(LedgerContract, ANewEpochBeginsAtTheBeginningOfTheLog) {
  const auto self = enter();
  const PartitionOffset asked{"ba.jobs", "", 0, 0};
  IntakeBatch batch;
  batch.offsets = {{"ba.jobs", "", 0, 1000}};
  ASSERT_TRUE(intake(self, batch));
  const auto begun = reset_intake(self, {"ba.jobs", "", 0, 1000});
  ASSERT_TRUE(begun) << begun.error().message;
  EXPECT_EQ(*begun, (PartitionOffset{"ba.jobs", "", 0, -1, 1}));
  EXPECT_THAT(*offsets({asked}), ElementsAre(PartitionOffset{"ba.jobs", "", 0, -1, 1}));
  // A late batch of the old epoch changes nothing; one of the new goes on from small offsets.
  ASSERT_TRUE(intake(self, batch));
  EXPECT_THAT(*offsets({asked}), ElementsAre(PartitionOffset{"ba.jobs", "", 0, -1, 1}));
  batch.offsets = {{"ba.jobs", "", 0, 7, 1}};
  ASSERT_TRUE(intake(self, batch));
  EXPECT_THAT(*offsets({asked}), ElementsAre(PartitionOffset{"ba.jobs", "", 0, 7, 1}));
}

/// The first batch of the old log may still be on its way.
TEST_F(LedgerContract, AnEpochBeginsAlsoWhereTheLedgerHasNoOffset) {
  const auto self = enter();
  const auto begun = reset_intake(self, {"ba.jobs", "", 0, -1});
  ASSERT_TRUE(begun) << begun.error().message;
  EXPECT_EQ(*begun, (PartitionOffset{"ba.jobs", "", 0, -1, 1}));
  IntakeBatch batch;
  batch.offsets = {{"ba.jobs", "", 0, 1000}};
  ASSERT_TRUE(intake(self, batch));
  EXPECT_THAT(*offsets({{"ba.jobs", "", 0, 0}}),
              ElementsAre(PartitionOffset{"ba.jobs", "", 0, -1, 1}));
}

TEST_F(LedgerContract, AnEpochBeginsOnce) {
  const auto self = enter();
  IntakeBatch batch;
  batch.offsets = {{"ba.jobs", "", 0, 1000}};
  ASSERT_TRUE(intake(self, batch));
  ASSERT_TRUE(reset_intake(self, {"ba.jobs", "", 0, 1000}));
  const auto again = reset_intake(self, {"ba.jobs", "", 0, 1000});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::Conflict);
}

TEST_F(LedgerContract, ADeadIncarnationBeginsNoEpoch) {
  const auto self = enter();
  IntakeBatch batch;
  batch.offsets = {{"ba.jobs", "", 0, 1000}};
  ASSERT_TRUE(intake(self, batch));
  rig_->expire(self);
  const auto refused = reset_intake(self, {"ba.jobs", "", 0, 1000});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Fenced);
}

}  // namespace ba
