// SPDX-License-Identifier: Apache-2.0
// Sub-agents' jobs: how they begin, whom they go with, and how they end.
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SubAgentContract : public LedgerContract {
 protected:
  Result<SubAgentStanding> begin(IncarnationId self, const SubAgentOrder& order) {
    return await<SubAgentStanding>([&](auto done) { ledger().begin_sub_agent(self, order, done); });
  }

  /// Of a call of the asking job's first step.
  static SubAgentOrder order(const ClaimedJob& asking, int call = 1) {
    return order_named("a" + std::to_string(call), {asking.id, {0, 1, call}});
  }

  static SubAgentOrder order_named(const std::string& name, AskingCall asked_by) {
    SubAgentOrder order;
    order.asked_by = asked_by;
    order.job.tenant = TenantId("acme");
    order.job.job_id = JobId("sub-agent:" + name);
    order.job.conversation_id = ConversationId("sub-agent:" + name);
    order.job.agent = "explorer";
    order.job.messages = {"look"};
    order.payload = "payload of " + name;
    return order;
  }

  /// By another call, in the conversation of the first.
  static SubAgentOrder resumption(const ClaimedJob& asking, int call = 2) {
    SubAgentOrder again = order(asking, call);
    again.job.conversation_id = ConversationId("sub-agent:a1");
    again.resumes = true;
    return again;
  }

  ClaimedJob running_sub_agent(const SubAgentOrder& order) {
    const auto standing = begin(self_, order);
    EXPECT_TRUE(standing && standing->claimed) << (standing ? "ended" : standing.error().message);
    return standing && standing->claimed ? *standing->claimed : ClaimedJob{};
  }

  void work(const ClaimedJob& job) {
    ASSERT_TRUE(append(self_, round_opened(job)));
    ASSERT_TRUE(append(self_, step_replied(job)));
  }

  /// As it ends by itself: it publishes nothing.
  static Delta ended(const ClaimedJob& job, const std::string& job_id,
                     Outcome outcome = Outcome::Completed) {
    Delta delta = finished(job, job_id);
    delta.finished->result.outcome = outcome;
    delta.finished->outbox.clear();
    return delta;
  }

  /// As a job that has had sub-agents ends.
  static Delta asking_ended(const ClaimedJob& job) {
    Delta delta = finished(job);
    delta.finished->ends_sub_agents = true;
    return delta;
  }

  const IncarnationId self_ = enter();
  const ClaimedJob asking_ = running_job(self_);
};

TEST_F(SubAgentContract, BeginsClaimedOnItsFirstAttempt) {
  const auto job = running_sub_agent(order(asking_));
  EXPECT_EQ(job.attempt, 1);
  EXPECT_FALSE(job.after_crash);
  EXPECT_EQ(job.payload, "payload of a1");
  EXPECT_EQ(job.asked_by, (AskingCall{asking_.id, {0, 1, 1}}));
  EXPECT_NE(job.conversation, asking_.conversation);
  EXPECT_NE(job.id, asking_.id);
}

TEST_F(SubAgentContract, BeginningAgainIsTheSameJobOnTheSameAttempt) {
  const auto job = running_sub_agent(order(asking_));
  const std::string before = rig_->dump();
  const auto again = running_sub_agent(order(asking_));
  EXPECT_EQ(again.id, job.id);
  EXPECT_EQ(again.attempt, 1);
  EXPECT_EQ(rig_->dump(), before);
}

TEST_F(SubAgentContract, NoClaimAnswersWithIt) {
  const auto job = running_sub_agent(order(asking_));
  EXPECT_THAT(names(claim(self_, 10)), ElementsAre("acme/job-1"));
  ASSERT_TRUE(hand_back(self_, {asking_.id}));
  EXPECT_THAT(names(claim(self_, 10)), ElementsAre("acme/job-1")) << "held, it waits for the job";
}

TEST_F(SubAgentContract, ItTakesNoSlotAndCountsAsNothingThatWaits) {
  const auto job = running_sub_agent(order(asking_));
  ASSERT_TRUE(hand_back(self_, {asking_.id}));
  const auto answer = claim(self_, 0);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->waiting, 1);
  EXPECT_EQ(answer->claimable, 1);
}

TEST_F(SubAgentContract, IsRefusedForAJobThatDoesNotRunUnderTheIncarnation) {
  const auto other = enter("other");
  const std::string before = rig_->dump();
  const auto theirs = begin(other, order(asking_));
  ASSERT_FALSE(theirs);
  EXPECT_EQ(theirs.error().code, ErrorCode::Conflict);
  ASSERT_TRUE(append(self_, round_opened(asking_)));
  ASSERT_TRUE(append(self_, finished(asking_)));
  const auto late = begin(self_, order(asking_));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::Conflict);
  EXPECT_EQ(rig_->job_ids().size(), 1U);
}

TEST_F(SubAgentContract, IsRefusedToADeadIncarnation) {
  rig_->expire(self_);
  const auto late = begin(self_, order(asking_));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::Fenced);
  EXPECT_EQ(rig_->job_ids().size(), 1U);
}

TEST_F(SubAgentContract, IsRefusedWhereAnotherJobHasItsId) {
  ASSERT_TRUE(intake(self_, batch_of({{.job_id = "sub-agent:a1"}})));
  const auto refused = begin(self_, order(asking_));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Conflict);
  EXPECT_THAT(refused.error().message, HasSubstr("sub-agent:a1"));
}

TEST_F(SubAgentContract, GoesBackWithItsJobAndGoesOnWithIt) {
  const auto job = running_sub_agent(order(asking_));
  work(job);
  ASSERT_TRUE(hand_back(self_, {asking_.id}));
  EXPECT_FALSE(append(self_, call_finished(job))) << "it doesn't run any more";
  ASSERT_FALSE(begin(self_, order(asking_))) << "nor does its job";
  ASSERT_EQ(claim(self_, 1)->jobs.size(), 1U);
  const auto again = running_sub_agent(order(asking_));
  EXPECT_EQ(again.id, job.id);
  EXPECT_EQ(again.attempt, 1) << "a hand-back takes the attempt back";
  EXPECT_EQ(load(again)->messages.size(), 2U);
}

TEST_F(SubAgentContract, ComesAfterACrashWithItsJob) {
  const auto job = running_sub_agent(order(asking_));
  work(job);
  rig_->expire(self_);
  const auto heir = enter("heir");
  ASSERT_EQ(reap(heir).value(), 1);
  EXPECT_THAT(names(claim(heir, 10)), ElementsAre("acme/job-1"));
  const auto standing = begin(heir, order(asking_));
  ASSERT_TRUE(standing && standing->claimed);
  EXPECT_EQ(standing->claimed->id, job.id);
  EXPECT_EQ(standing->claimed->attempt, 2);
  EXPECT_FALSE(standing->claimed->after_crash) << "what it may have lost is on record";
}

TEST_F(SubAgentContract, ACrashRecordsWhatItMayHaveLostUnlessItWasInToolCalls) {
  const auto asking_the_model = running_sub_agent(order(asking_, 1));
  const auto in_calls = running_sub_agent(order(asking_, 2));
  ASSERT_TRUE(append(self_, round_opened(asking_the_model)));
  Delta lost = delta_for(asking_the_model);
  lost.wasted_model_calls = 2;
  ASSERT_TRUE(append(self_, lost));
  work(in_calls);
  rig_->expire(self_);
  const auto heir = enter("heir");
  ASSERT_EQ(reap(heir).value(), 1);
  const auto answer = claim(heir, 10);
  ASSERT_EQ(answer->jobs.size(), 1U);
  EXPECT_EQ(load(answer->jobs[0])->sub_agents.spent.wasted_model_calls, 3);
  const auto standing = begin(heir, order(answer->jobs[0], 1));
  ASSERT_TRUE(standing && standing->claimed);
  EXPECT_EQ(load(*standing->claimed)->wasted_model_calls, 3);
}

TEST_F(SubAgentContract, IsHeldWhenTheIncarnationLeaves) {
  running_sub_agent(order(asking_));
  ASSERT_TRUE(leave(self_));
  const auto heir = enter("heir");
  EXPECT_THAT(names(claim(heir, 10)), ElementsAre("acme/job-1"));
  const auto standing = begin(heir, order(asking_));
  ASSERT_TRUE(standing && standing->claimed);
  EXPECT_EQ(standing->claimed->attempt, 1);
}

TEST_F(SubAgentContract, OfAPausedJobWaitsWithItAndNoDeadlineCountsIt) {
  running_sub_agent(order(asking_));
  ASSERT_TRUE(rig_->control("job-1", JobAction::Pause));
  ASSERT_TRUE(hand_back(self_, {asking_.id}));
  EXPECT_THAT(names(claim(self_, 10)), IsEmpty());
  ASSERT_TRUE(rig_->control("job-1", JobAction::Resume));
  ASSERT_THAT(names(claim(self_, 10)), ElementsAre("acme/job-1"));
  const auto again = running_sub_agent(order(asking_));
  EXPECT_GE(again.idle.count(), 0);
}

TEST_F(SubAgentContract, EndsAndTheCallThatRunsAgainIsToldHow) {
  const auto job = running_sub_agent(order(asking_));
  work(job);
  ASSERT_TRUE(append(self_, ended(job, "sub-agent:a1")));
  const auto standing = begin(self_, order(asking_));
  ASSERT_TRUE(standing && standing->ended);
  EXPECT_FALSE(standing->claimed);
  EXPECT_EQ(standing->ended->outcome, Outcome::Completed);
  EXPECT_EQ(standing->ended->answer, "42 flights");
  EXPECT_FALSE(standing->ended->error);
}

TEST_F(SubAgentContract, TellsWhyItEndedEarly) {
  const auto job = running_sub_agent(order(asking_));
  work(job);
  Delta end = ended(job, "sub-agent:a1", Outcome::StepLimit);
  end.finished->result.error = JobError{"limit", "STEP_LIMIT", "20 steps"};
  ASSERT_TRUE(append(self_, end));
  const auto standing = begin(self_, order(asking_));
  ASSERT_TRUE(standing && standing->ended);
  EXPECT_EQ(standing->ended->outcome, Outcome::StepLimit);
  EXPECT_EQ(standing->ended->error, (JobError{"limit", "STEP_LIMIT", "20 steps"}));
}

TEST_F(SubAgentContract, WhatItUsedIsTheAskingJobsToo) {
  EXPECT_EQ(load(asking_)->sub_agents, SubAgentUse{});
  const auto first = running_sub_agent(order(asking_, 1));
  const auto second = running_sub_agent(order(asking_, 2));
  work(first);
  work(second);
  Delta lost = delta_for(second);
  lost.wasted_model_calls = 2;
  ASSERT_TRUE(append(self_, lost));
  SubAgentUse use;
  use.agents = 2;
  use.spent.usage.input_tokens = 200;
  use.spent.usage.output_tokens = 20;
  use.spent.cost_micro_usd = 500;
  use.spent.wasted_model_calls = 2;
  EXPECT_EQ(load(asking_)->sub_agents, use);
  EXPECT_EQ(load_remains(asking_)->sub_agents, use);
  EXPECT_EQ(load(first)->sub_agents, SubAgentUse{});
}

TEST_F(SubAgentContract, WhatItSavedIsTheAskingJobsToo) {
  const auto job = running_sub_agent(order(asking_));
  ASSERT_TRUE(append(self_, round_opened(job)));
  Delta replied = step_replied(job);
  replied.steps[0].savings = {{1, 2}, {3, 4}, {}, {5, -6}};
  replied.steps[0].savings_priced = true;
  ASSERT_TRUE(append(self_, replied));
  EXPECT_EQ(load(asking_)->sub_agents.spent.savings, replied.steps[0].savings);
  EXPECT_EQ(load_remains(asking_)->sub_agents.spent.savings, replied.steps[0].savings);
}

TEST_F(SubAgentContract, ACallWithoutAPriceMakesTheCostUnknown) {
  const auto job = running_sub_agent(order(asking_));
  ASSERT_TRUE(append(self_, round_opened(job)));
  Delta unpriced = step_replied(job);
  unpriced.steps[0].cost_micro_usd.reset();
  ASSERT_TRUE(append(self_, unpriced));
  EXPECT_FALSE(load(asking_)->sub_agents.spent.cost_known);
}

TEST_F(SubAgentContract, OneThatHasNotEndedIsCancelledWithItsJob) {
  const auto running = running_sub_agent(order(asking_, 1));
  work(running);
  ASSERT_TRUE(append(self_, call_started(running)));
  ASSERT_TRUE(append(self_, round_opened(asking_)));
  const auto end = append(self_, asking_ended(asking_));
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_FALSE(append(self_, call_finished(running)));
  const auto other = running_job(self_, "job-2");
  const auto resumed = begin(self_, resumption(other));
  ASSERT_FALSE(resumed);
  EXPECT_EQ(resumed.error().code, ErrorCode::NotFound) << "job-2 has a conversation of its own";
}

TEST_F(SubAgentContract, AnEndThatTellsOfNoneLeavesNoneToEnd) {
  const auto job = running_sub_agent(order(asking_));
  work(job);
  ASSERT_TRUE(append(self_, ended(job, "sub-agent:a1")));
  const std::string before = rig_->dump();
  ASSERT_TRUE(append(self_, round_opened(asking_)));
  ASSERT_TRUE(append(self_, asking_ended(asking_)));
  EXPECT_NE(rig_->dump(), before);
  ASSERT_TRUE(append(self_, asking_ended(asking_))) << "and may be repeated";
}

TEST_F(SubAgentContract, IsResumedInItsConversation) {
  const auto job = running_sub_agent(order(asking_));
  work(job);
  ASSERT_TRUE(append(self_, call_finished(job)));
  ASSERT_TRUE(append(self_, ended(job, "sub-agent:a1")));
  const auto again = running_sub_agent(resumption(asking_));
  EXPECT_NE(again.id, job.id);
  EXPECT_EQ(again.conversation, job.conversation);
  EXPECT_EQ(load(again)->history.size(), 3U);
}

TEST_F(SubAgentContract, IsResumedByALaterJobOfTheConversation) {
  const auto job = running_sub_agent(order(asking_));
  work(job);
  ASSERT_TRUE(append(self_, ended(job, "sub-agent:a1")));
  ASSERT_TRUE(append(self_, round_opened(asking_)));
  ASSERT_TRUE(append(self_, asking_ended(asking_)));
  const auto answer =
      intake(self_, batch_of({{.job_id = "job-2", .conversation = "job:job-1"}}), 1);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->jobs.size(), 1U);
  SubAgentOrder again = resumption(answer->jobs[0]);
  EXPECT_EQ(running_sub_agent(again).conversation, job.conversation);
}

TEST_F(SubAgentContract, AnotherConversationsIsNotFound) {
  const auto job = running_sub_agent(order(asking_));
  work(job);
  ASSERT_TRUE(append(self_, ended(job, "sub-agent:a1")));
  const auto other = running_job(self_, "job-2");
  const std::string before = rig_->dump();
  const auto refused = begin(self_, resumption(other));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::NotFound);
  EXPECT_THAT(refused.error().message, HasSubstr("'a1'"));
  SubAgentOrder unknown = resumption(asking_);
  unknown.job.conversation_id = ConversationId("sub-agent:nobody");
  EXPECT_EQ(begin(self_, unknown).error().code, ErrorCode::NotFound);
  unknown.job.conversation_id = ConversationId("job:job-1");
  EXPECT_EQ(begin(self_, unknown).error().code, ErrorCode::NotFound);
  EXPECT_EQ(rig_->job_ids().size(), 3U);
}

TEST_F(SubAgentContract, OneAtWorkIsNotResumed) {
  running_sub_agent(order(asking_));
  const auto refused = begin(self_, resumption(asking_));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Conflict);
  EXPECT_THAT(refused.error().message, HasSubstr("at work"));
}

TEST_F(SubAgentContract, IsResumedAsWhatItIs) {
  const auto job = running_sub_agent(order(asking_));
  work(job);
  ASSERT_TRUE(append(self_, ended(job, "sub-agent:a1")));
  SubAgentOrder other = resumption(asking_);
  other.job.agent = "writer";
  const auto refused = begin(self_, other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("'explorer', not 'writer'"));
}

TEST_F(SubAgentContract, OneThatWasLostIsNotResumed) {
  const auto job = running_sub_agent(order(asking_));
  ASSERT_TRUE(append(self_, round_opened(job)));
  ASSERT_TRUE(append(self_, ended(job, "sub-agent:a1", Outcome::Poisoned)));
  const auto refused = begin(self_, resumption(asking_));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("poisoned"));
}

TEST_F(SubAgentContract, NobodyAsksAnythingOfItButOfItsJob) {
  running_sub_agent(order(asking_));
  for (const JobAction action : {JobAction::Cancel, JobAction::Pause, JobAction::Resume}) {
    const auto refused = rig_->control("sub-agent:a1", action);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Conflict);
    EXPECT_THAT(refused.error().message, HasSubstr("job-1"));
  }
}

}  // namespace ba
