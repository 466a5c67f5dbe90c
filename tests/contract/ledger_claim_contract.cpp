// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

TEST_F(LedgerContract, AClaimAnswersWithAllThatIsOwnedSoThatALostAnswerLosesNoJob) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "a"}, {.job_id = "b"}, {.job_id = "c"}}), 2));
  const auto again = claim(self, 0);
  EXPECT_THAT(names(again), UnorderedElementsAre("acme/a", "acme/b"));
  EXPECT_EQ(again->jobs[0].attempt, 1);
}

TEST_F(LedgerContract, AClaimLeavesOutWhatTheCallerKnows) {
  const auto self = enter();
  const auto first = intake(self, batch_of({{.job_id = "a"}, {.job_id = "b"}}), 1);
  ClaimRequest request;
  request.jobs_max = 1;
  request.known = {first->jobs.at(0).id};
  EXPECT_THAT(names(claim(self, request)), ElementsAre("acme/b"));
}

TEST_F(LedgerContract, WaitingJobsAreCountedUpToABound) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "a"}, {.job_id = "b"}, {.job_id = "c"}})));
  ClaimRequest request;
  request.waiting_count_max = 2;
  EXPECT_EQ(claim(self, request)->waiting, 2);
}

TEST_F(LedgerContract, OnlyTheNextJobOfAConversationIsClaimable) {
  const auto self = enter();
  std::vector<JobSpec> specs;
  for (int i = 0; i < 5; ++i)
    specs.push_back({.job_id = std::to_string(i), .conversation = "talk"});
  specs.push_back({.job_id = "apart"});
  const auto waiting = intake(self, batch_of(specs));
  EXPECT_EQ(waiting->waiting, 6);
  EXPECT_EQ(waiting->claimable, 2);
  const auto running = claim(self, 1);
  EXPECT_EQ(running->waiting, 5);
  EXPECT_EQ(running->claimable, 1) << "the talk's next waits for the one that runs";
}

TEST_F(LedgerContract, WhatWaitsIsNotCountedWhenNobodyAsks) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "a"}})));
  ClaimRequest request;
  request.count = false;
  EXPECT_EQ(claim(self, request)->waiting, 0);
}

TEST_F(LedgerContract, JobsAfterACrashComeAFewAtATimeBesideTheOthers) {
  const auto crashing = [&](const IncarnationId& self) {
    rig_->expire(self);
    const auto next = enter("next");
    EXPECT_TRUE(reap(next));
    return next;
  };
  auto self = enter();
  std::vector<JobSpec> specs;
  for (int i = 0; i < 6; ++i) specs.push_back({.job_id = "old-" + std::to_string(i)});
  ASSERT_THAT(names(intake(self, batch_of(specs), 6)), SizeIs(6));
  self = crashing(self);
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "new-0"}, {.job_id = "new-1"}})));
  ClaimRequest request;
  request.jobs_max = 10;
  request.retried_max = 2;
  EXPECT_THAT(names(claim(self, request)),
              UnorderedElementsAre("acme/old-0", "acme/old-1", "acme/new-0", "acme/new-1"));
  EXPECT_THAT(names(claim(self, request)), SizeIs(4)) << "the quota is of what runs";
  self = crashing(self);
  // Two have two attempts behind them: one of these at a time.
  EXPECT_THAT(names(claim(self, request)),
              UnorderedElementsAre("acme/old-0", "acme/old-2", "acme/old-3"));
}

TEST_F(LedgerContract, NoJobIsClaimedByTwo) {
  const auto one = enter("one");
  const auto two = enter("two");
  ASSERT_TRUE(intake(one, batch_of({{.job_id = "a"}, {.job_id = "b"}}), 1));
  EXPECT_THAT(names(claim(two, 10)), ElementsAre("acme/b"));
  EXPECT_THAT(names(claim(one, 10)), ElementsAre("acme/a"));
}

TEST_F(LedgerContract, HigherLanesComeFirstBeyondTheGuaranteedShares) {
  const auto self = enter();
  std::vector<JobSpec> specs;
  for (int i = 0; i < 12; ++i) {
    const std::string number = std::to_string(i);
    specs.push_back({.job_id = "batch-" + number, .lane = Lane::Batch});
    specs.push_back({.job_id = "normal-" + number, .lane = Lane::Normal});
    specs.push_back({.job_id = "high-" + number, .lane = Lane::High});
  }
  const auto answer = intake(self, batch_of(specs), 10);
  int high = 0;
  int normal = 0;
  int batch = 0;
  for (const std::string& name : names(answer)) {
    high += name.starts_with("acme/high") ? 1 : 0;
    normal += name.starts_with("acme/normal") ? 1 : 0;
    batch += name.starts_with("acme/batch") ? 1 : 0;
  }
  EXPECT_EQ(std::vector<int>({high, normal, batch}), std::vector<int>({6, 3, 1}));
}

TEST_F(LedgerContract, AnUnusedShareGoesToTheNextLaneInOrder) {
  const auto self = enter();
  std::vector<JobSpec> specs;
  for (int i = 0; i < 12; ++i) {
    specs.push_back({.job_id = "batch-" + std::to_string(i), .lane = Lane::Batch});
    if (i < 2) specs.push_back({.job_id = "high-" + std::to_string(i), .lane = Lane::High});
  }
  const auto answer = intake(self, batch_of(specs), 5);
  EXPECT_THAT(names(answer), UnorderedElementsAre("acme/batch-0", "acme/batch-1", "acme/batch-2",
                                                  "acme/high-0", "acme/high-1"));
}

TEST_F(LedgerContract, ALaneKeepsItsShareWhenSlotsComeFreeOneByOne) {
  const auto self = enter();
  std::vector<JobSpec> specs;
  for (int i = 0; i < 20; ++i)
    specs.push_back({.job_id = "high-" + std::to_string(i), .lane = Lane::High});
  ASSERT_TRUE(intake(self, batch_of(specs), 9));
  const auto answer =
      intake(self, batch_of({{.job_id = "late", .lane = Lane::Batch}}), 1);  // slot 10
  EXPECT_THAT(names(answer), testing::Contains("acme/late"));
}

TEST_F(LedgerContract, TenantsTakeTurns) {
  const auto self = enter();
  std::vector<JobSpec> specs;
  for (int i = 0; i < 8; ++i) specs.push_back({.job_id = std::to_string(i), .tenant = "greedy"});
  specs.push_back({.job_id = "only", .tenant = "modest"});
  EXPECT_THAT(names(intake(self, batch_of(specs), 2)),
              UnorderedElementsAre("greedy/0", "modest/only"));
}

TEST_F(LedgerContract, ATenantWithRunningJobsWaitsForItsTurn) {
  const auto self = enter();
  std::vector<JobSpec> specs;
  for (int i = 0; i < 8; ++i) specs.push_back({.job_id = std::to_string(i), .tenant = "greedy"});
  ASSERT_TRUE(intake(self, batch_of(specs), 2));
  EXPECT_THAT(names(intake(self, batch_of({{.job_id = "only", .tenant = "modest"}}), 1)),
              UnorderedElementsAre("greedy/0", "greedy/1", "modest/only"));
}

TEST_F(LedgerContract, JobsOfOneConversationRunOneAfterTheOther) {
  const auto self = enter();
  const IntakeBatch batch = batch_of({{.job_id = "first", .conversation = "talk"},
                                      {.job_id = "second", .conversation = "talk"},
                                      {.job_id = "other"}});
  const auto answer = intake(self, batch, 10);
  EXPECT_THAT(names(answer), UnorderedElementsAre("acme/first", "acme/other"));
  EXPECT_EQ(answer->waiting, 1);
  for (const ClaimedJob& job : answer->jobs) {
    if (job.payload != "acme/first") continue;
    ASSERT_TRUE(append(self, round_opened(job)));
    ASSERT_TRUE(append(self, finished(job, "first")));
  }
  EXPECT_THAT(names(claim(self, 10)), UnorderedElementsAre("acme/second", "acme/other"));
}

TEST_F(LedgerContract, AHigherLaneDoesNotOvertakeWithinAConversation) {
  const auto self = enter();
  const auto answer =
      intake(self,
             batch_of({{.job_id = "first", .conversation = "talk", .lane = Lane::Batch},
                       {.job_id = "second", .conversation = "talk", .lane = Lane::High}}),
             10);
  EXPECT_THAT(names(answer), ElementsAre("acme/first"));
}

TEST_F(LedgerContract, AHandBackDoesNotCountTheAttempt) {
  const auto one = enter("one");
  const auto job = running_job(one);
  ASSERT_TRUE(hand_back(one, {job.id}));
  ASSERT_TRUE(hand_back(one, {job.id}));
  EXPECT_THAT(names(claim(one, 0)), IsEmpty());
  const auto two = enter("two");
  const auto again = claim(two, 1);
  ASSERT_THAT(names(again), SizeIs(1));
  EXPECT_EQ(again->jobs[0].attempt, 1);
  EXPECT_FALSE(again->jobs[0].after_crash);
}

TEST_F(LedgerContract, ACrashCountsTheAttempt) {
  const auto one = enter("one");
  const auto job = running_job(one);
  rig_->expire(one);
  const auto two = enter("two");
  ASSERT_EQ(*reap(two), 1);
  const auto again = claim(two, 1);
  ASSERT_THAT(names(again), SizeIs(1));
  EXPECT_EQ(again->jobs[0].id, job.id);
  EXPECT_EQ(again->jobs[0].attempt, 2);
  EXPECT_TRUE(again->jobs[0].after_crash);
  EXPECT_EQ(again->jobs[0].first_claimed_at, job.first_claimed_at);
}

TEST_F(LedgerContract, AHandBackKeepsTheCrashUntilItsLostCallIsRecorded) {
  const auto one = enter("one");
  const auto job = running_job(one);
  rig_->expire(one);
  const auto two = enter("two");
  ASSERT_EQ(*reap(two), 1);
  ASSERT_THAT(names(claim(two, 1)), SizeIs(1));
  ASSERT_TRUE(hand_back(two, {job.id}));
  const auto three = enter("three");
  const auto again = claim(three, 1);
  ASSERT_THAT(names(again), SizeIs(1));
  EXPECT_TRUE(again->jobs[0].after_crash);
  Delta recorded = delta_for(again->jobs[0]);
  recorded.wasted_model_calls = 1;
  ASSERT_TRUE(append(three, recorded));
  ASSERT_TRUE(leave(three));
  EXPECT_FALSE(claim(two, 1)->jobs.at(0).after_crash);
}

TEST_F(LedgerContract, WhatIsWrittenAfterACrashSettlesIt) {
  const auto one = enter("one");
  running_job(one);
  rig_->expire(one);
  const auto two = enter("two");
  ASSERT_EQ(*reap(two), 1);
  const auto again = claim(two, 1);
  ASSERT_TRUE(again->jobs.at(0).after_crash);
  Delta written = delta_for(again->jobs[0]);
  written.alone = true;  // as all are of a job that was begun before
  ASSERT_TRUE(append(two, written));
  ASSERT_TRUE(hand_back(two, {again->jobs[0].id}));
  const auto third = claim(two, 1);
  ASSERT_THAT(names(third), SizeIs(1));
  EXPECT_FALSE(third->jobs[0].after_crash) << "it lost no model call that nobody counted";
}

TEST_F(LedgerContract, AJobThatIsNotRunningHereIsNotHandedBack) {
  const auto one = enter("one");
  const auto two = enter("two");
  const auto job = running_job(one);
  const std::string before = rig_->dump();
  ASSERT_TRUE(hand_back(two, {job.id}));
  EXPECT_EQ(rig_->dump(), before);
}

}  // namespace ba
