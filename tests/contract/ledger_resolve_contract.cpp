// SPDX-License-Identifier: Apache-2.0
// Jobs that wait for a person, who says what became of their calls.
#include "tests/contract/ledger_contract.hpp"

namespace ba {

using testing::ElementsAre;
using testing::IsEmpty;

namespace {

CallAnswer answer(CallVerdict verdict, const std::string& call = "") {
  CallAnswer answer;
  answer.verdict = verdict;
  if (!call.empty()) answer.call = ToolCallId(call);
  return answer;
}

const ToolMessage& message_at(const StoredJob& stored, const Position& position) {
  for (const MessageRow& row : stored.messages)
    if (row.position == position) return std::get<ToolMessage>(row.message);
  throw std::runtime_error("no such message");
}

}  // namespace

class LedgerResolveContract : public LedgerContract {
 protected:
  /// A job that has come to its first step's calls, all of them started.
  ClaimedJob job_in_calls(IncarnationId self, int calls) {
    const ClaimedJob job = running_job(self);
    EXPECT_TRUE(append(self, round_opened(job)));
    EXPECT_TRUE(append(self, step_replied(job, 1, calls)));
    for (int call = 0; call < calls; ++call) EXPECT_TRUE(append(self, call_started(job, 1, call)));
    return job;
  }

  ClaimedJob waiting_job(IncarnationId self, int calls = 1) {
    const ClaimedJob job = job_in_calls(self, calls);
    EXPECT_TRUE(leave_waiting(self, job.id));
    return job;
  }

  std::vector<ToolCallState> states(const ClaimedJob& job) {
    std::vector<ToolCallState> states;
    const StoredJob stored = *load(job);
    for (const StoredToolCall& call : stored.calls) states.push_back(call.state);
    return states;
  }

  Result<UnresolvedCall> resolve(const CallAnswer& answer) {
    return rig_->resolve("job-1", answer);
  }
};

TEST_F(LedgerResolveContract, AWaitingJobIsNotClaimedAndHoldsUpItsConversation) {
  const auto self = enter();
  const IntakeBatch batch = batch_of(
      {{.job_id = "first", .conversation = "talk"}, {.job_id = "second", .conversation = "talk"}});
  const auto claimed = intake(self, batch, 10);
  ASSERT_THAT(names(claimed), ElementsAre("acme/first"));
  ASSERT_TRUE(leave_waiting(self, claimed->jobs[0].id));
  EXPECT_THAT(names(claim(self, 10)), IsEmpty());
}

TEST_F(LedgerResolveContract, WaitingCountsNoAttemptAndHoldsNoCrashAgainstTheJob) {
  const auto self = enter();
  const auto job = job_in_calls(self, 1);
  rig_->expire(self);
  const auto other = enter("other");
  ASSERT_EQ(*reap(other), 1);
  ASSERT_TRUE(claim(other, 10)->jobs.at(0).after_crash);
  ASSERT_TRUE(leave_waiting(other, job.id));
  ASSERT_TRUE(resolve(answer(CallVerdict::GiveUp)));
  const auto again = claim(other, 10);
  ASSERT_THAT(names(again), ElementsAre("acme/job-1"));
  EXPECT_EQ(again->jobs[0].attempt, 2);
  EXPECT_FALSE(again->jobs[0].after_crash) << "it lost no model call: it was in its tool calls";
}

TEST_F(LedgerResolveContract, LeavingAJobToAPersonTwiceChangesNothing) {
  const auto self = enter();
  const auto job = waiting_job(self);
  const std::string before = rig_->dump();
  ASSERT_TRUE(leave_waiting(self, job.id));
  EXPECT_EQ(rig_->dump(), before);
}

TEST_F(LedgerResolveContract, ACallThatHappenedSucceeds) {
  const auto self = enter();
  const auto job = waiting_job(self);
  CallAnswer happened = answer(CallVerdict::Happened);
  happened.result = R"({"sent":true})";
  const auto resolved = resolve(happened);
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_EQ(resolved->tool, "query_database");
  EXPECT_THAT(names(claim(self, 10)), ElementsAre("acme/job-1"));
  EXPECT_THAT(states(job), ElementsAre(ToolCallState::Succeeded));
  const StoredJob stored = *load(job);
  const ToolMessage& message = message_at(stored, {0, 1, 1});
  EXPECT_EQ(message.content, "{\n  \"sent\": true\n}");
  EXPECT_EQ(message.status, ToolStatus::Success);
  EXPECT_EQ(message.tool_call_id, stored.calls[0].tool_call_id);
  EXPECT_EQ(message.tool_name, "query_database");
  EXPECT_EQ(message.meta.message_id.value, "job-1/0/1.1");
  EXPECT_EQ(message.meta.round_id, "job-1/0");
}

TEST_F(LedgerResolveContract, ACallThatDidNotHappenIsToBeRun) {
  const auto self = enter();
  const auto job = waiting_job(self);
  ASSERT_TRUE(resolve(answer(CallVerdict::DidNotHappen)));
  const auto claimed = claim(self, 10);
  ASSERT_THAT(names(claimed), ElementsAre("acme/job-1"));
  EXPECT_THAT(states(job), ElementsAre(ToolCallState::Intended));
  ASSERT_TRUE(append(self, call_started(job)));
  EXPECT_THAT(states(job), ElementsAre(ToolCallState::Running));
  ASSERT_TRUE(append(self, call_finished(job)));
  EXPECT_THAT(states(job), ElementsAre(ToolCallState::Succeeded));
}

TEST_F(LedgerResolveContract, ACallThatIsGivenUpIsUnknown) {
  const auto self = enter();
  const auto job = waiting_job(self);
  ASSERT_TRUE(resolve(answer(CallVerdict::GiveUp)));
  EXPECT_THAT(names(claim(self, 10)), ElementsAre("acme/job-1"));
  EXPECT_THAT(states(job), ElementsAre(ToolCallState::Unknown));
  EXPECT_EQ(message_at(*load(job), {0, 1, 1}).status, ToolStatus::Error);
}

TEST_F(LedgerResolveContract, TheJobIsReadyOnceNoCallIsLeft) {
  const auto self = enter();
  const auto job = waiting_job(self, 2);
  EXPECT_EQ(resolve(answer(CallVerdict::GiveUp)).error().code, ErrorCode::InvalidArgument);
  ASSERT_TRUE(resolve(answer(CallVerdict::Happened, "call-1-1")));
  EXPECT_THAT(names(claim(self, 10)), IsEmpty());
  EXPECT_EQ(resolve(answer(CallVerdict::GiveUp, "call-1-1")).error().code, ErrorCode::NotFound);
  ASSERT_TRUE(resolve(answer(CallVerdict::DidNotHappen)));
  EXPECT_THAT(names(claim(self, 10)), ElementsAre("acme/job-1"));
  EXPECT_THAT(states(job), ElementsAre(ToolCallState::Intended, ToolCallState::Succeeded));
}

TEST_F(LedgerResolveContract, OnlyAJobThatWaitsIsAnswered) {
  const auto self = enter();
  const auto job = job_in_calls(self, 1);
  const std::string before = rig_->dump();
  EXPECT_EQ(resolve(answer(CallVerdict::DidNotHappen)).error().code, ErrorCode::Conflict);
  EXPECT_EQ(rig_->resolve("unknown", answer(CallVerdict::GiveUp)).error().code,
            ErrorCode::NotFound);
  EXPECT_EQ(rig_->dump(), before);
  ASSERT_TRUE(leave_waiting(self, job.id));
  ASSERT_TRUE(resolve(answer(CallVerdict::DidNotHappen)));
  EXPECT_EQ(resolve(answer(CallVerdict::DidNotHappen)).error().code, ErrorCode::Conflict)
      << "it is ready by now";
}

TEST_F(LedgerResolveContract, AWaitingJobIsNeitherPausedNorResumed) {
  const auto self = enter();
  waiting_job(self);
  const std::string before = rig_->dump();
  EXPECT_EQ(rig_->control("job-1", JobAction::Pause).error().code, ErrorCode::Conflict);
  EXPECT_EQ(rig_->control("job-1", JobAction::Resume).error().code, ErrorCode::Conflict);
  EXPECT_EQ(rig_->dump(), before);
}

TEST_F(LedgerResolveContract, AWaitingJobThatIsToBeCancelledIsClaimedAndAnsweredNoMore) {
  const auto self = enter();
  waiting_job(self);
  ASSERT_TRUE(rig_->control("job-1", JobAction::Cancel));
  EXPECT_EQ(resolve(answer(CallVerdict::GiveUp)).error().code, ErrorCode::Conflict);
  EXPECT_THAT(names(claim(self, 0)), ElementsAre("acme/job-1"));
}

TEST_F(LedgerResolveContract, APauseThatWasAskedForComesFirst) {
  const auto self = enter();
  const auto job = job_in_calls(self, 1);
  ASSERT_TRUE(rig_->control("job-1", JobAction::Pause));
  ASSERT_TRUE(leave_waiting(self, job.id));
  EXPECT_EQ(resolve(answer(CallVerdict::GiveUp)).error().code, ErrorCode::Conflict);
  EXPECT_THAT(names(claim(self, 10)), IsEmpty());
  ASSERT_TRUE(rig_->control("job-1", JobAction::Resume));
  EXPECT_THAT(names(claim(self, 10)), ElementsAre("acme/job-1"));
}

TEST_F(LedgerResolveContract, ALateWriteOfWhoLeftTheJobIsRefused) {
  const auto self = enter();
  const auto job = waiting_job(self);
  ASSERT_TRUE(resolve(answer(CallVerdict::DidNotHappen)));
  EXPECT_EQ(append(self, call_started(job)).error().code, ErrorCode::Fenced);
  EXPECT_THAT(states(job), ElementsAre(ToolCallState::Intended));
}

}  // namespace ba
