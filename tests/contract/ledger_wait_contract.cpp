// SPDX-License-Identifier: Apache-2.0
// Jobs that wait too long for an earlier one of their conversation.
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class LedgerWaitContract : public LedgerContract {
 protected:
  static constexpr std::chrono::seconds kMax{600};

  /// Jobs of one conversation, all taken in by now.
  void take_in(IncarnationId self, const std::vector<std::string>& ids) {
    std::vector<JobSpec> specs;
    for (const std::string& id : ids) specs.push_back({.job_id = id, .conversation = "talk"});
    ASSERT_TRUE(intake(self, batch_of(specs)));
  }

  Result<ClaimAnswer> claim_overdue(IncarnationId self, int jobs_max = 10,
                                    std::chrono::seconds max = kMax) {
    ClaimRequest request;
    request.jobs_max = jobs_max;
    request.conversation_wait_max = max;
    return claim(self, request);
  }

  /// Two jobs, the first of them paused, the second over its limit.
  void take_in_overdue(IncarnationId self) {
    take_in(self, {"first", "second"});
    ASSERT_TRUE(rig_->control("first", JobAction::Pause));
    rig_->age(kMax);
  }

  /// As the worker ends it: without any round.
  static Delta ended(const ClaimedJob& job, const std::string& job_id) {
    Delta delta = finished(job, job_id);
    delta.rounds_closed.clear();
    delta.finished->result.outcome = Outcome::DeadlineExceeded;
    delta.finished->result.error = JobError{"limit", "CONVERSATION_BUSY", "it waited too long"};
    return delta;
  }
};

TEST_F(LedgerWaitContract, AJobThatWaitsTooLongBehindAPausedOneIsClaimedForItsEnd) {
  const auto self = enter();
  take_in(self, {"first", "second"});
  ASSERT_TRUE(rig_->control("first", JobAction::Pause));
  EXPECT_THAT(names(claim_overdue(self)), IsEmpty());
  rig_->age(kMax / 2);
  EXPECT_THAT(names(claim_overdue(self)), IsEmpty()) << "not before its time";
  rig_->age(kMax / 2);
  const auto answer = claim_overdue(self, 0);
  ASSERT_THAT(names(answer), ElementsAre("acme/second")) << "no slot is needed";
  const OverdueWait wait{JobId("first"), kMax};
  EXPECT_EQ(answer->jobs[0].overdue, wait);
  EXPECT_EQ(answer->jobs[0].attempt, 1);
}

TEST_F(LedgerWaitContract, BehindAJobThatWaitsForAPersonTheLimitHolds) {
  const auto self = enter();
  take_in(self, {"first", "second"});
  const auto first = claim(self, 1);
  ASSERT_THAT(names(first), ElementsAre("acme/first"));
  ASSERT_TRUE(leave_waiting(self, first->jobs[0].id));
  rig_->age(kMax);
  EXPECT_THAT(names(claim_overdue(self)), ElementsAre("acme/second"));
}

TEST_F(LedgerWaitContract, WithoutALimitAJobWaitsOn) {
  const auto self = enter();
  take_in_overdue(self);
  rig_->age(std::chrono::hours(24 * 365));
  EXPECT_THAT(names(claim_overdue(self, 10, {})), IsEmpty());
}

TEST_F(LedgerWaitContract, TheFirstOfAConversationMayWaitForAWorkerForEver) {
  const auto self = enter();
  take_in(self, {"first"});
  rig_->age(kMax * 100);
  EXPECT_THAT(names(claim_overdue(self, 0)), IsEmpty());
  const auto answer = claim_overdue(self);
  ASSERT_THAT(names(answer), ElementsAre("acme/first"));
  EXPECT_EQ(answer->jobs[0].overdue, std::nullopt);
}

TEST_F(LedgerWaitContract, AJobThatIsItselfPausedDoesNotWait) {
  const auto self = enter();
  take_in_overdue(self);
  ASSERT_TRUE(rig_->control("second", JobAction::Pause));
  EXPECT_THAT(names(claim_overdue(self)), IsEmpty());
}

TEST_F(LedgerWaitContract, ACancelledJobEndsAsThat) {
  const auto self = enter();
  take_in_overdue(self);
  ASSERT_TRUE(rig_->control("second", JobAction::Cancel));
  const auto answer = claim_overdue(self);
  ASSERT_THAT(names(answer), ElementsAre("acme/second"));
  EXPECT_EQ(answer->jobs[0].overdue, std::nullopt);
}

TEST_F(LedgerWaitContract, AJobThatRunsIsWaitedForAndThenTheOverdueOnesGoBeforeTheNext) {
  const auto self = enter();
  take_in(self, {"first", "second", "third"});
  const auto first = claim(self, 1);
  ASSERT_THAT(names(first), ElementsAre("acme/first"));
  rig_->age(kMax);
  EXPECT_THAT(names(claim_overdue(self)), ElementsAre("acme/first")) << "it alone runs";
  ASSERT_TRUE(append(self, round_opened(first->jobs[0])));
  ASSERT_TRUE(append(self, finished(first->jobs[0], "first")));
  const auto third = claim_overdue(self);
  ASSERT_THAT(names(third), ElementsAre("acme/third")) << "the second one waits for nobody now";
  ASSERT_TRUE(append(self, ended(third->jobs[0], "third")));
  const auto second = claim_overdue(self);
  ASSERT_THAT(names(second), ElementsAre("acme/second"));
  EXPECT_EQ(second->jobs[0].overdue, std::nullopt);
}

TEST_F(LedgerWaitContract, OneOfAConversationIsClaimedAtATime) {
  const auto self = enter();
  take_in(self, {"first", "second", "third"});
  ASSERT_TRUE(rig_->control("first", JobAction::Pause));
  rig_->age(kMax);
  const auto second = claim_overdue(self);
  ASSERT_THAT(names(second), ElementsAre("acme/second"));
  ASSERT_TRUE(append(self, ended(second->jobs[0], "second")));
  const auto third = claim_overdue(self);
  ASSERT_THAT(names(third), ElementsAre("acme/third"));
  EXPECT_EQ(third->jobs[0].overdue->behind, JobId("first")) << "who holds up the conversation";
}

TEST_F(LedgerWaitContract, TwoWorkersShareOverdueJobsWithoutOverlap) {
  const auto one = enter("one");
  const auto two = enter("two");
  take_in_overdue(one);
  EXPECT_THAT(names(claim_overdue(one)), ElementsAre("acme/second"));
  EXPECT_THAT(names(claim_overdue(two)), IsEmpty());
  EXPECT_THAT(names(claim(one, 10)), ElementsAre("acme/second")) << "a lost answer loses no job";
}

TEST_F(LedgerWaitContract, WhoGoesOnWithAnOverdueJobEndsItToo) {
  const auto self = enter();
  take_in_overdue(self);
  const auto answer = claim_overdue(self);
  ASSERT_THAT(names(answer), SizeIs(1));
  ASSERT_TRUE(hand_back(self, {answer->jobs[0].id}));
  const auto again = claim(self, 0);
  ASSERT_THAT(names(again), ElementsAre("acme/second")) << "also where nobody looks any more";
  EXPECT_EQ(again->jobs[0].overdue, answer->jobs[0].overdue);
  rig_->expire(self);
  const auto other = enter("other");
  ASSERT_EQ(*reap(other), 1);
  const auto taken_over = claim(other, 0);
  ASSERT_THAT(names(taken_over), ElementsAre("acme/second"));
  EXPECT_EQ(taken_over->jobs[0].overdue, answer->jobs[0].overdue);
}

TEST_F(LedgerWaitContract, TheOthersOfItsConversationGoOnAfterIt) {
  const auto self = enter();
  take_in_overdue(self);
  const auto overdue = claim_overdue(self);
  ASSERT_THAT(names(overdue), ElementsAre("acme/second"));
  take_in(self, {"third"});
  ASSERT_TRUE(rig_->control("first", JobAction::Resume));
  ASSERT_TRUE(append(self, ended(overdue->jobs[0], "second")));
  const auto first = claim_overdue(self);
  ASSERT_THAT(names(first), ElementsAre("acme/first"));
  EXPECT_EQ(first->jobs[0].overdue, std::nullopt);
  ASSERT_TRUE(append(self, round_opened(first->jobs[0])));
  ASSERT_TRUE(append(self, finished(first->jobs[0], "first")));
  EXPECT_THAT(names(claim_overdue(self)), ElementsAre("acme/third"));
}

}  // namespace ba
