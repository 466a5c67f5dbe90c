// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

namespace {

std::vector<JobRequest> requests(const Result<ClaimAnswer>& answer) {
  std::vector<JobRequest> requests;
  for (const RequestedJob& job : answer->requests) requests.push_back(job.request);
  return requests;
}

ClaimRequest knowing(const ClaimedJob& job) {
  ClaimRequest request;
  request.known = {job.id};
  return request;
}

}  // namespace

TEST_F(LedgerContract, ARequestAboutARunningJobComesWithItsWorkersClaims) {
  const auto self = enter();
  const auto other = enter("other");
  const auto job = running_job(self);
  EXPECT_THAT(requests(claim(self, knowing(job))), IsEmpty());
  ASSERT_TRUE(rig_->control("job-1", JobAction::Cancel));
  const auto answer = claim(self, knowing(job));
  EXPECT_THAT(names(answer), IsEmpty()) << "its payload is known";
  ASSERT_THAT(requests(answer), ElementsAre(JobRequest::Cancel));
  EXPECT_EQ(answer->requests[0].id, job.id);
  EXPECT_THAT(requests(claim(other, 10)), IsEmpty());
}

TEST_F(LedgerContract, AReadyJobThatIsToBeCancelledIsClaimedWithoutAFreeSlot) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "a"}, {.job_id = "b"}})));
  ASSERT_TRUE(rig_->control("b", JobAction::Cancel));
  const auto answer = claim(self, 0);
  EXPECT_THAT(names(answer), ElementsAre("acme/b"));
  EXPECT_THAT(requests(answer), ElementsAre(JobRequest::Cancel));
}

TEST_F(LedgerContract, AJobBehindAPausedOneCanBeCancelled) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "first", .conversation = "talk"},
                                     {.job_id = "second", .conversation = "talk"}})));
  ASSERT_TRUE(rig_->control("first", JobAction::Pause));
  EXPECT_THAT(names(claim(self, 10)), IsEmpty());
  ASSERT_TRUE(rig_->control("second", JobAction::Cancel));
  EXPECT_THAT(names(claim(self, 10)), ElementsAre("acme/second"));
}

TEST_F(LedgerContract, ACancelledJobWaitsForTheOneThatRunsInItsConversation) {
  const auto self = enter();
  const auto answer = intake(self,
                             batch_of({{.job_id = "first", .conversation = "talk"},
                                       {.job_id = "second", .conversation = "talk"},
                                       {.job_id = "third", .conversation = "talk"}}),
                             10);
  const ClaimedJob first = answer->jobs.at(0);
  ASSERT_TRUE(rig_->control("second", JobAction::Cancel));
  ASSERT_TRUE(rig_->control("third", JobAction::Cancel));
  EXPECT_THAT(names(claim(self, knowing(first))), IsEmpty());
  ASSERT_TRUE(append(self, round_opened(first)));
  ASSERT_TRUE(append(self, finished(first, "first")));
  EXPECT_THAT(names(claim(self, 10)), ElementsAre("acme/second")) << "one at a time";
}

TEST_F(LedgerContract, APausedJobIsNotClaimedAndHoldsUpItsConversation) {
  const auto self = enter();
  const IntakeBatch batch = batch_of({{.job_id = "first", .conversation = "talk"},
                                      {.job_id = "second", .conversation = "talk"},
                                      {.job_id = "other"}});
  ASSERT_TRUE(intake(self, batch));
  ASSERT_TRUE(rig_->control("first", JobAction::Pause));
  EXPECT_THAT(names(claim(self, 10)), ElementsAre("acme/other"));
  ASSERT_TRUE(rig_->control("first", JobAction::Resume));
  EXPECT_THAT(names(claim(self, 10)), UnorderedElementsAre("acme/first", "acme/other"));
}

TEST_F(LedgerContract, ARunningJobIsPausedByItsHandBackWhichCountsNoAttempt) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(rig_->control("job-1", JobAction::Pause));
  ASSERT_THAT(requests(claim(self, knowing(job))), ElementsAre(JobRequest::Pause));
  ASSERT_TRUE(hand_back(self, {job.id}));
  EXPECT_THAT(names(claim(self, 10)), IsEmpty());
  ASSERT_TRUE(rig_->control("job-1", JobAction::Resume));
  const auto again = claim(self, 10);
  ASSERT_THAT(names(again), SizeIs(1));
  EXPECT_EQ(again->jobs[0].attempt, 1);
  EXPECT_THAT(requests(again), IsEmpty());
}

TEST_F(LedgerContract, AJobIsIdleForAsLongAsItWasPausedAfterItsFirstClaim) {
  const auto self = enter();
  const auto job = running_job(self);
  EXPECT_EQ(job.idle, Milliseconds(0));
  for (const auto& [paused, idle] : {std::pair(600s, 600s), {300s, 900s}}) {
    ASSERT_TRUE(rig_->control("job-1", JobAction::Pause));
    ASSERT_TRUE(hand_back(self, {job.id}));
    rig_->age(paused);
    ASSERT_TRUE(rig_->control("job-1", JobAction::Resume));
    const auto again = claim(self, 10);
    ASSERT_THAT(names(again), SizeIs(1));
    EXPECT_GE(again->jobs[0].idle, idle);
    EXPECT_LT(again->jobs[0].idle, idle + 60s);
  }
}

TEST_F(LedgerContract, APauseBeforeTheFirstClaimOfAJobIsNoTimeThatItsDeadlineLeavesOut) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "a"}, {.job_id = "b"}})));
  for (const char* id : {"a", "b"}) ASSERT_TRUE(rig_->control(id, JobAction::Pause));
  rig_->age(600s);
  ASSERT_TRUE(rig_->control("a", JobAction::Resume));
  ASSERT_TRUE(rig_->control("b", JobAction::Cancel));
  const auto answer = claim(self, 10);
  ASSERT_THAT(names(answer), UnorderedElementsAre("acme/a", "acme/b"));
  for (const ClaimedJob& job : answer->jobs) EXPECT_EQ(job.idle, Milliseconds(0));
}

TEST_F(LedgerContract, AJobIsPausedAlsoWhenItsWorkerDies) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(rig_->control("job-1", JobAction::Pause));
  rig_->expire(self);
  const auto other = enter("other");
  ASSERT_EQ(*reap(other), 1);
  EXPECT_THAT(names(claim(other, 10)), IsEmpty());
  ASSERT_TRUE(rig_->control("job-1", JobAction::Resume));
  const auto again = claim(other, 10);
  ASSERT_THAT(names(again), SizeIs(1));
  EXPECT_EQ(again->jobs[0].id, job.id);
  EXPECT_TRUE(again->jobs[0].after_crash);
}

TEST_F(LedgerContract, ACancellationSurvivesItsWorker) {
  const auto self = enter();
  ASSERT_EQ(running_job(self).attempt, 1);
  ASSERT_TRUE(rig_->control("job-1", JobAction::Cancel));
  rig_->expire(self);
  const auto other = enter("other");
  ASSERT_EQ(*reap(other), 1);
  EXPECT_THAT(requests(claim(other, 10)), ElementsAre(JobRequest::Cancel));
}

TEST_F(LedgerContract, APauseCanBeTakenBackBeforeAWorkerHonoursIt) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(rig_->control("job-1", JobAction::Pause));
  ASSERT_TRUE(rig_->control("job-1", JobAction::Resume));
  EXPECT_THAT(requests(claim(self, knowing(job))), IsEmpty());
  ASSERT_TRUE(hand_back(self, {job.id}));
  EXPECT_THAT(names(claim(self, 10)), ElementsAre("acme/job-1"));
}

TEST_F(LedgerContract, AFinishedJobIsAskedNothing) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, finished(job)));
  const std::string before = rig_->dump();
  for (const JobAction action : {JobAction::Cancel, JobAction::Pause, JobAction::Resume}) {
    const auto refused = rig_->control("job-1", action);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Conflict);
  }
  EXPECT_EQ(rig_->control("unknown", JobAction::Cancel).error().code, ErrorCode::NotFound);
  EXPECT_EQ(rig_->dump(), before);
}

TEST_F(LedgerContract, AFinishThatComesBeforeTheCancellationIsHonouredStands) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(rig_->control("job-1", JobAction::Cancel));
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, finished(job)));
  EXPECT_THAT(requests(claim(self, 10)), IsEmpty());
}

TEST_F(LedgerContract, AskingForWhatIsSoAlreadyChangesNothing) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "a"}})));
  ASSERT_TRUE(rig_->control("a", JobAction::Pause));
  const std::string before = rig_->dump();
  ASSERT_TRUE(rig_->control("a", JobAction::Pause));
  EXPECT_EQ(rig_->dump(), before);
}

}  // namespace ba
