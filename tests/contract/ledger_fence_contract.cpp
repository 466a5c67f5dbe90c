// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

template <typename T>
void expect_fenced(const Result<T>& answer, const char* call) {
  ASSERT_FALSE(answer) << call;
  EXPECT_EQ(answer.error().code, ErrorCode::Fenced) << call << ": " << answer.error().message;
}

}  // namespace

TEST_F(LedgerContract, ADeadIncarnationChangesNothing) {
  for (const bool reaped : {false, true}) {
    rig_.reset();
    rig_ = make_ledger_rig();
    const auto self = enter("self");
    ASSERT_TRUE(own_shards(self));
    const auto job = running_job(self);
    ASSERT_TRUE(append(self, round_opened(job)));
    ASSERT_TRUE(intake(self, batch_of({{.job_id = "waiting"}})));
    rig_->expire(self);
    if (reaped) {
      ASSERT_EQ(*reap(enter("reaper")), 1);
    }
    const std::string before = rig_->dump();

    expect_fenced(renew(self), "renew");
    expect_fenced(reap(self), "reap");
    expect_fenced(append(self, step_replied(job)), "append");
    expect_fenced(append(self, finished(job)), "finish");
    expect_fenced(intake(self, batch_of({{.job_id = "new"}}), 1), "intake");
    expect_fenced(claim(self, 1), "claim");
    expect_fenced(hand_back(self, {job.id}), "hand_back");
    expect_fenced(own_shards(self), "own_shards");
    expect_fenced(next_batch(self, 0, 0), "next_batch");
    expect_fenced(stop_shard(self, 0, "why"), "stop_shard");
    EXPECT_EQ(rig_->dump(), before) << "reaped: " << reaped;
  }
}

TEST_F(LedgerContract, AnUnknownIncarnationIsFenced) {
  expect_fenced(claim(IncarnationId(12345), 1), "claim");
  expect_fenced(renew(IncarnationId(12345)), "renew");
}

TEST_F(LedgerContract, AnIncarnationThatLacksSomethingAcknowledgedIsVoid) {
  const auto self = enter("self");
  ASSERT_TRUE(own_shards(self));
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  rig_->lose_newest(self);
  const std::string before = rig_->dump();

  const auto refused = append(self, step_replied(job));
  expect_fenced(refused, "append");
  EXPECT_THAT(refused.error().message, testing::HasSubstr("went back in time"));
  expect_fenced(renew(self), "renew");
  expect_fenced(load(job), "load");
  expect_fenced(load_remains(job), "load_remains");
  expect_fenced(reap(self), "reap");
  expect_fenced(intake(self, batch_of({{.job_id = "new"}}), 1), "intake");
  expect_fenced(offsets({{"ba.jobs", "", 0, 0}}), "intake_offsets");
  expect_fenced(hand_back(self, {job.id}), "hand_back");
  expect_fenced(own_shards(self), "own_shards");
  expect_fenced(next_batch(self, 0, 0), "next_batch");
  expect_fenced(leave(self), "leave");
  EXPECT_EQ(rig_->dump(), before);

  const auto next = enter("next");
  EXPECT_TRUE(claim(next, 1));
}

TEST_F(LedgerContract, ARenewalSeesByItselfThatSomethingIsLacking) {
  const auto self = enter("self");
  ASSERT_TRUE(claim(self, 1));
  EXPECT_TRUE(renew(self));
  rig_->lose_newest(self);
  const auto renewed = renew(self);
  expect_fenced(renewed, "renew");
  EXPECT_THAT(renewed.error().message, testing::HasSubstr("went back in time"));
}

TEST_F(LedgerContract, WhereIntakeStartsIsCoveredLikeAWrite) {
  const auto self = enter("self");
  ASSERT_TRUE(offsets({{"ba.jobs", "", 0, 0}}));
  rig_->lose_newest(self);
  expect_fenced(intake(self, batch_of({{.job_id = "new"}})), "intake");
}

TEST_F(LedgerContract, AnIncarnationThatIsLostIsVoidAndItsIdIsNotGivenAgain) {
  const auto lost = enter("lost");
  rig_->lose(lost);
  const auto refused = claim(lost, 1);
  expect_fenced(refused, "claim");
  EXPECT_THAT(refused.error().message, testing::HasSubstr("went back in time"));
  for (int i = 0; i < 3; ++i) EXPECT_NE(enter("next"), lost);
  expect_fenced(claim(lost, 1), "claim");
}

TEST_F(LedgerContract, TheReaperSparesTheLiving) {
  const auto one = enter("one");
  const auto two = enter("two");
  EXPECT_EQ(*reap(two), 0);
  EXPECT_TRUE(renew(one));
}

TEST_F(LedgerContract, ReapingReturnsJobsAndShards) {
  const auto one = enter("one");
  ASSERT_THAT(*own_shards(one), SizeIs(LedgerRig::kShards));
  const auto job = running_job(one);
  const auto two = enter("two");
  rig_->expire(one);
  ASSERT_EQ(*reap(two), 1);
  EXPECT_EQ(*reap(two), 0);
  EXPECT_THAT(*own_shards(two), SizeIs(LedgerRig::kShards));
  EXPECT_EQ(claim(two, 1)->jobs.at(0).id, job.id);
}

TEST_F(LedgerContract, LeavingHandsBackWithoutCountingAnAttempt) {
  const auto one = enter("one");
  ASSERT_TRUE(own_shards(one));
  const auto job = running_job(one);
  ASSERT_TRUE(leave(one));
  EXPECT_TRUE(leave(one)) << "the first answer may have been lost";
  expect_fenced(append(one, round_opened(job)), "append");
  const auto two = enter("two");
  EXPECT_EQ(*reap(two), 0);
  const auto again = claim(two, 1);
  ASSERT_THAT(names(again), ElementsAre("acme/job-1"));
  EXPECT_EQ(again->jobs[0].attempt, 1);
  EXPECT_THAT(*own_shards(two), SizeIs(LedgerRig::kShards));
}

TEST_F(LedgerContract, AResumedJobFindsWhatTheDeadOneWrote) {
  const auto one = enter("one");
  const auto job = running_job(one);
  ASSERT_TRUE(append(one, round_opened(job)));
  ASSERT_TRUE(append(one, step_replied(job)));
  ASSERT_TRUE(append(one, call_started(job)));
  rig_->expire(one);
  const auto two = enter("two");
  ASSERT_TRUE(reap(two));
  const auto again = claim(two, 1);
  ASSERT_THAT(names(again), SizeIs(1));
  const auto stored = load(again->jobs[0]);
  EXPECT_THAT(stored->messages, SizeIs(2));
  EXPECT_EQ(stored->calls.at(0).state, ToolCallState::Running);
  EXPECT_TRUE(append(two, call_finished(again->jobs[0])));
}

}  // namespace ba
