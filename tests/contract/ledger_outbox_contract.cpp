// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/ledger/ledger.hpp"
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

namespace {

IntakeBatch letters(int first, int count, int shard) {
  IntakeBatch batch;
  for (int i = first; i < first + count; ++i) batch.dead_letters.push_back(dead_letter(i, shard));
  return batch;
}

std::vector<std::string> ids(const Result<OutboxBatch>& batch) {
  std::vector<std::string> ids;
  EXPECT_TRUE(batch) << batch.error().message;
  if (batch)
    for (const OutboxRecord& record : batch->records) ids.push_back(record.result_id.value);
  return ids;
}

}  // namespace

TEST_F(LedgerContract, BatchesAreNumberedAndBoundedAndKeepTheOrder) {
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));
  ASSERT_TRUE(intake(self, letters(0, 3, 1)));
  const auto first = next_batch(self, 1, 0, 2);
  EXPECT_EQ(first->number, 1);
  EXPECT_EQ(first->shard, 1);
  EXPECT_THAT(ids(first), ElementsAre("dead-0", "dead-1"));
  const auto second = next_batch(self, 1, 1, 2);
  EXPECT_EQ(second->number, 2);
  EXPECT_THAT(ids(second), ElementsAre("dead-2"));
  const auto none = next_batch(self, 1, 2, 2);
  EXPECT_EQ(none->number, 0);
  EXPECT_THAT(ids(none), IsEmpty());
  EXPECT_THAT(*own_shards(self),
              testing::Contains(testing::AllOf(testing::Field(&ShardState::shard, 1),
                                               testing::Field(&ShardState::assigned_batch, 2),
                                               testing::Field(&ShardState::published_batch, 2))));
}

TEST_F(LedgerContract, ABatchIsBoundedByItsBytesAndHasOneRecordHoweverLarge) {
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));
  IntakeBatch batch = letters(0, 4, 1);
  const std::size_t half = kOutboxBatchBytesMax / 2;
  for (const auto& [letter, bytes] : {std::pair{0, half}, {1, half}, {2, 3 * half}, {3, half}})
    batch.dead_letters[static_cast<std::size_t>(letter)].record.value.assign(bytes, 'x');
  ASSERT_TRUE(intake(self, std::move(batch)));
  EXPECT_THAT(ids(next_batch(self, 1, 0)), ElementsAre("dead-0", "dead-1"));
  EXPECT_THAT(ids(next_batch(self, 1, 1)), ElementsAre("dead-2"));
  EXPECT_THAT(ids(next_batch(self, 1, 2)), ElementsAre("dead-3"));
}

TEST_F(LedgerContract, AnAssignedBatchIsAnsweredAgainUntilItIsPublished) {
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));
  ASSERT_TRUE(intake(self, letters(0, 1, 1)));
  ASSERT_EQ(next_batch(self, 1, 0)->number, 1);
  ASSERT_TRUE(intake(self, letters(1, 1, 1)));
  const auto again = next_batch(self, 1, 0);
  EXPECT_EQ(again->number, 1);
  EXPECT_THAT(ids(again), ElementsAre("dead-0"));
}

TEST_F(LedgerContract, SayingPublishedTwiceMarksOneBatch) {
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));
  ASSERT_TRUE(intake(self, letters(0, 2, 1)));
  ASSERT_EQ(next_batch(self, 1, 0, 1)->number, 1);
  ASSERT_EQ(next_batch(self, 1, 1, 1)->number, 2);
  const auto again = next_batch(self, 1, 1, 1);  // the answer was lost
  EXPECT_EQ(again->number, 2);
  EXPECT_THAT(ids(again), ElementsAre("dead-1"));
}

TEST_F(LedgerContract, PendingShardsAreTheOwnOnesWithSomethingToPublish) {
  const auto one = enter("one");
  ASSERT_TRUE(own_shards(one));
  EXPECT_THAT(*pending_shards(one), IsEmpty());
  ASSERT_TRUE(intake(one, letters(0, 1, 2)));
  EXPECT_THAT(*pending_shards(one), ElementsAre(2));
  ASSERT_EQ(next_batch(one, 2, 0)->number, 1);
  EXPECT_THAT(*pending_shards(one), ElementsAre(2));
  ASSERT_EQ(next_batch(one, 2, 1)->number, 0);
  EXPECT_THAT(*pending_shards(one), IsEmpty());
  ASSERT_TRUE(intake(one, letters(1, 1, 2)));
  EXPECT_THAT(*pending_shards(enter("two")), IsEmpty());
}

TEST_F(LedgerContract, ShardsAreSharedFairly) {
  const auto one = enter("one");
  EXPECT_THAT(*own_shards(one), SizeIs(4));
  const auto two = enter("two");
  EXPECT_THAT(*own_shards(two), IsEmpty());
  EXPECT_THAT(*own_shards(one), SizeIs(2));
  EXPECT_THAT(*own_shards(two), SizeIs(2));
  EXPECT_THAT(*own_shards(one), SizeIs(2));
}

TEST_F(LedgerContract, AShardWithABatchInFlightIsKept) {
  const auto one = enter("one");
  ASSERT_TRUE(own_shards(one));
  for (int shard = 0; shard < LedgerRig::kShards; ++shard) {
    ASSERT_TRUE(intake(one, letters(shard, 1, shard)));
    ASSERT_EQ(next_batch(one, shard, 0)->number, 1);
  }
  const auto two = enter("two");
  EXPECT_THAT(*own_shards(one), SizeIs(4));
  EXPECT_THAT(*own_shards(two), IsEmpty());
  ASSERT_EQ(next_batch(one, 3, 1)->number, 0);
  EXPECT_THAT(*own_shards(one), SizeIs(3));
  EXPECT_THAT(*own_shards(two), SizeIs(1));
}

TEST_F(LedgerContract, ATakenOverShardGoesOnWithTheBatchInFlight) {
  const auto one = enter("one");
  ASSERT_TRUE(own_shards(one));
  ASSERT_TRUE(intake(one, letters(0, 2, 1)));
  ASSERT_EQ(next_batch(one, 1, 0, 1)->number, 1);
  rig_->expire(one);
  const auto two = enter("two");
  ASSERT_TRUE(reap(two));
  EXPECT_THAT(*own_shards(two),
              testing::Contains(testing::AllOf(testing::Field(&ShardState::shard, 1),
                                               testing::Field(&ShardState::assigned_batch, 1),
                                               testing::Field(&ShardState::published_batch, 0))));
  EXPECT_THAT(ids(next_batch(two, 1, 0, 1)), ElementsAre("dead-0"));
  EXPECT_THAT(ids(next_batch(two, 1, 1, 1)), ElementsAre("dead-1"));
}

TEST_F(LedgerContract, AForeignShardIsRefused) {
  const auto one = enter("one");
  ASSERT_TRUE(own_shards(one));
  const auto two = enter("two");
  const auto batch = next_batch(two, 0, 0);
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().code, ErrorCode::Conflict);
  const auto stopped = stop_shard(two, 0, "why");
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::Conflict);
}

/// What is known of it may be from a time before another owned it.
TEST_F(LedgerContract, AShardIsStoppedOnlyByWhoKnowsTheBatchThatItIsAt) {
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));
  ASSERT_TRUE(intake(self, letters(0, 1, 2)));
  ASSERT_EQ(next_batch(self, 2, 0)->number, 1);
  for (const std::int64_t other : {0, 2}) {
    const auto stopped = stop_shard(self, 2, "why", other);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::Conflict);
  }
  EXPECT_THAT(*own_shards(self), SizeIs(4));
  ASSERT_TRUE(stop_shard(self, 2, "why", 1));
  EXPECT_THAT(*own_shards(self), SizeIs(3));
}

TEST_F(LedgerContract, AStoppedShardBelongsToNobody) {
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));
  ASSERT_TRUE(intake(self, letters(0, 1, 2)));
  ASSERT_TRUE(stop_shard(self, 2, "receipt 3 is newer than batch 1"));
  EXPECT_TRUE(stop_shard(self, 2, "again")) << "the first answer may have been lost";
  EXPECT_THAT(*own_shards(self), SizeIs(3));
  EXPECT_THAT(*pending_shards(self), IsEmpty());
  const auto batch = next_batch(self, 2, 0);
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().code, ErrorCode::Conflict);
}

namespace {

/// Four letters of shard 1, for topics one and two in turn.
IntakeBatch letters_for_two_topics() {
  IntakeBatch batch = letters(0, 4, 1);
  for (std::size_t i = 0; i < 4; ++i)
    batch.dead_letters[i].record.topic = i % 2 == 0 ? "one" : "two";
  return batch;
}

}  // namespace

TEST_F(LedgerContract, ABatchCanBeHadWithoutTopicsAndTheirRecordsKeepTheirOrder) {
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));
  ASSERT_TRUE(intake(self, letters_for_two_topics()));
  EXPECT_THAT(ids(next_batch(self, 1, 0, 10, {"one"})), ElementsAre("dead-1", "dead-3"));
  EXPECT_THAT(ids(next_batch(self, 1, 0, 10)), ElementsAre("dead-1", "dead-3")) << "as assigned";
  EXPECT_EQ(next_batch(self, 1, 1, 10, {"one"})->number, 0);
  EXPECT_THAT(*pending_shards(self), ElementsAre(1));
  EXPECT_THAT(ids(next_batch(self, 1, 1, 10)), ElementsAre("dead-0", "dead-2"));
}

TEST_F(LedgerContract, TheNumberOfABatchThatWasWithdrawnIsNeverUsedAgain) {
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));
  ASSERT_TRUE(intake(self, letters_for_two_topics()));
  const auto first = next_batch(self, 1, 0);
  ASSERT_TRUE(withdraw(self, *first));
  const auto second = next_batch(self, 1, 0, 10, {"two"});
  EXPECT_EQ(second->number, 2);
  EXPECT_THAT(ids(second), ElementsAre("dead-0", "dead-2"));
  const auto third = next_batch(self, 1, 2);
  EXPECT_EQ(third->number, 3);
  EXPECT_THAT(ids(third), ElementsAre("dead-1", "dead-3"));
  EXPECT_EQ(next_batch(self, 1, 3)->number, 0);
}

TEST_F(LedgerContract, NothingIsInFlightOnceABatchWasWithdrawn) {
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));
  ASSERT_TRUE(intake(self, letters_for_two_topics()));
  ASSERT_TRUE(withdraw(self, *next_batch(self, 1, 0)));
  EXPECT_EQ(next_batch(self, 1, 0, 10, {"one", "two"})->number, 0);
  EXPECT_EQ(next_batch(self, 1, 1, 10, {"one", "two"})->number, 0) << "as if it were out";
  EXPECT_THAT(*own_shards(self),
              testing::Contains(testing::AllOf(testing::Field(&ShardState::shard, 1),
                                               testing::Field(&ShardState::assigned_batch, 1),
                                               testing::Field(&ShardState::published_batch, 0))));
  EXPECT_THAT(*pending_shards(self), ElementsAre(1));
  const auto again = next_batch(self, 1, 0);
  EXPECT_EQ(again->number, 2);
  EXPECT_THAT(ids(again), SizeIs(4));
}

/// The first call is carried out once more, after the next batch was sent: its records are out.
TEST_F(LedgerContract, WithdrawingLateHasNoEffect) {
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));
  ASSERT_TRUE(intake(self, letters_for_two_topics()));
  const auto first = next_batch(self, 1, 0);
  ASSERT_TRUE(withdraw(self, *first));
  ASSERT_EQ(next_batch(self, 1, 0)->number, 2);
  ASSERT_TRUE(withdraw(self, *first));
  EXPECT_THAT(ids(next_batch(self, 1, 0)), SizeIs(4));
  EXPECT_EQ(next_batch(self, 1, 2)->number, 0) << "all were published with it";
}

TEST_F(LedgerContract, NothingIsWithdrawnFromAForeignShardOrOfNoBatch) {
  const auto one = enter("one");
  ASSERT_TRUE(own_shards(one));
  ASSERT_TRUE(intake(one, letters_for_two_topics()));
  const auto batch = next_batch(one, 1, 0);
  const auto two = enter("two");
  EXPECT_EQ(withdraw(two, *batch).error().code, ErrorCode::Conflict);
  ASSERT_EQ(next_batch(one, 1, 1)->number, 0);
  EXPECT_TRUE(withdraw(one, *batch));
  EXPECT_THAT(*pending_shards(one), IsEmpty());
}

TEST_F(LedgerContract, ARecordInFlightIsReplacedTogetherWithTheJobsResult) {
  const auto self = enter();
  ASSERT_THAT(*own_shards(self), SizeIs(LedgerRig::kShards));
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, finished(job)));
  const auto batch = next_batch(self, 1, 0);
  ASSERT_TRUE(batch) << batch.error().message;
  RecordReplacement small;
  small.record = outbox_record("result-job-1", 1);
  small.record.value = std::string("small\0\xff", 7);
  small.record.headers = {{"why", "too large"}};
  small.result = finished(job).finished->result;
  small.result->outcome = Outcome::Failed;
  small.result->error = JobError{"limit", "RESULT_REFUSED", "too large"};
  ASSERT_TRUE(replace_record(self, 1, small));
  ASSERT_TRUE(replace_record(self, 1, small)) << "repeated";
  const auto again = next_batch(self, 1, 0);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->number, batch->number);
  ASSERT_THAT(again->records, SizeIs(2));
  EXPECT_EQ(again->records[0], small.record);
  EXPECT_EQ(again->records[1], batch->records[1]);
  EXPECT_THAT(rig_->dump(), HasSubstr("RESULT_REFUSED"));
}

TEST_F(LedgerContract, AReplacementChangesNoResultButThatOfItsRecord) {
  const auto self = enter();
  ASSERT_THAT(*own_shards(self), SizeIs(LedgerRig::kShards));
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, finished(job)));
  ASSERT_TRUE(intake(self, letters(7, 1, 2)));
  ASSERT_TRUE(next_batch(self, 2, 0));
  RecordReplacement small;
  small.record = outbox_record("dead-7", 2);
  small.result = finished(job).finished->result;
  small.result->error = JobError{"limit", "RESULT_REFUSED", "too large"};
  for (const char* named : {"job-1", "nobody"}) {
    small.result->job_id = JobId(named);
    ASSERT_TRUE(replace_record(self, 2, small));
    EXPECT_THAT(rig_->dump(), Not(HasSubstr("RESULT_REFUSED"))) << named;
  }
}

TEST_F(LedgerContract, ARecordThatIsNotInFlightIsNotReplaced) {
  const auto self = enter();
  ASSERT_THAT(*own_shards(self), SizeIs(LedgerRig::kShards));
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, finished(job)));
  RecordReplacement small;
  small.record = outbox_record("result-job-1", 1);
  const auto early = replace_record(self, 1, small);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::Conflict);
  const auto other = enter("other");
  ASSERT_TRUE(next_batch(self, 1, 0));
  EXPECT_EQ(replace_record(other, 1, small).error().code, ErrorCode::Conflict);
}

}  // namespace ba
