// SPDX-License-Identifier: Apache-2.0
// Calls with a side effect whose worker does not survive them.
#include "tests/worker/driver/engine_fixture.hpp"

namespace ba::driver {
namespace {

/// The life of a call with a side effect that its worker does not survive: its start is recorded,
/// its result is not.
class EffectCrashTest : public EngineTest {
 protected:
  void crash_during_the_call(EffectClass effect) {
    tool_->effect(effect);
    life_ = begin();
    life_->engine->take(records({"a"}));
    ASSERT_TRUE(executor_.run_until([&] { return tool_->keys.size() == 1; }, 10s));
    ASSERT_EQ(job("a").calls.begin()->second.state, ToolCallState::Running);
    life_ = taken_over_from(*life_);
    ASSERT_TRUE(run_until_finished(1));
    EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
    EXPECT_EQ(job("a").finished->result.attempts, 2);
    EXPECT_EQ(model_.asked, 2);
  }
  const StoredToolCall& call() { return job("a").calls.begin()->second; }
  std::unique_ptr<Life> life_;
};

TEST_F(EffectCrashTest, AKeyedCallRunsAgainWithTheSameKey) {
  crash_during_the_call(EffectClass::Keyed);
  ASSERT_EQ(tool_->keys.size(), 2u);
  EXPECT_EQ(tool_->keys[0], tool_->keys[1]);
  EXPECT_FALSE(tool_->keys[0].empty());
  EXPECT_EQ(call().state, ToolCallState::Succeeded);
}

TEST_F(EffectCrashTest, AKeyedCallThatFailsAfterTheCrashMayHaveHadItsEffectBefore) {
  tool_->fails = true;
  crash_during_the_call(EffectClass::Keyed);
  EXPECT_EQ(tool_->keys.size(), 2u);
  EXPECT_EQ(call().state, ToolCallState::Unknown);
}

TEST_F(EffectCrashTest, ACallThatMayHappenOnlyOnceBecomesUnknown) {
  crash_during_the_call(EffectClass::Once);
  EXPECT_EQ(tool_->keys.size(), 1u) << "never run again";
  EXPECT_EQ(call().state, ToolCallState::Unknown);
}

TEST_F(EffectCrashTest, AReconcilableCallThatHappenedIsNotRunAgain) {
  tool_->verdict = EffectStatus::Verdict::Happened;
  crash_during_the_call(EffectClass::Reconcilable);
  EXPECT_EQ(tool_->asked, tool_->keys);
  EXPECT_EQ(tool_->keys.size(), 1u);
  EXPECT_EQ(call().state, ToolCallState::Succeeded);
}

TEST_F(EffectCrashTest, AReconcilableCallThatDidNotHappenRuns) {
  tool_->verdict = EffectStatus::Verdict::DidNotHappen;
  crash_during_the_call(EffectClass::Reconcilable);
  EXPECT_EQ(tool_->asked.size(), 1u);
  EXPECT_EQ(tool_->keys.size(), 2u);
  EXPECT_EQ(call().state, ToolCallState::Succeeded);
}

TEST_F(EffectCrashTest, AReconcilableCallOfWhichNobodyCanTellBecomesUnknown) {
  crash_during_the_call(EffectClass::Reconcilable);
  EXPECT_EQ(tool_->asked.size(), 1u);
  EXPECT_EQ(tool_->keys.size(), 1u);
  EXPECT_EQ(call().state, ToolCallState::Unknown);
}

/// A worker that stood still while its start record was on the way: the record's answer may be the
/// first that it sees.
TEST_F(EffectCrashTest, ACallDoesNotBeginOnceTheLeaseIsOver) {
  tool_->verdict = EffectStatus::Verdict::DidNotHappen;
  tool_->effect(EffectClass::Reconcilable);
  life_ = begin();
  life_->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  life_->lease_holds = false;
  ASSERT_TRUE(executor_.run_until([&] { return life_->fenced; }, 10s));
  EXPECT_EQ(call().state, ToolCallState::Running);
  EXPECT_TRUE(tool_->keys.empty());
  life_ = taken_over_from(*life_);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(tool_->keys.size(), 1u);
  EXPECT_EQ(call().state, ToolCallState::Succeeded);
}

/// A worker that stood still while it asked what became of the call: it may read the answer when
/// another worker has asked, too, and has run the call.
TEST_F(EffectCrashTest, ACallThatDidNotHappenDoesNotRunOnceTheLeaseIsOver) {
  tool_->verdict = EffectStatus::Verdict::DidNotHappen;
  tool_->effect(EffectClass::Reconcilable);
  life_ = begin();
  life_->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return tool_->keys.size() == 1; }, 10s));
  life_ = taken_over_from(*life_);
  ASSERT_TRUE(executor_.run_until([&] { return tool_->asked.size() == 1; }, 10s));
  life_->lease_holds = false;
  ASSERT_TRUE(executor_.run_until([&] { return life_->fenced; }, 10s));
  EXPECT_EQ(tool_->keys.size(), 1u);
  EXPECT_EQ(call().state, ToolCallState::Running);
  life_ = taken_over_from(*life_);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(tool_->keys.size(), 2u);
  EXPECT_EQ(call().state, ToolCallState::Succeeded);
}

TEST_F(EffectCrashTest, APureCallRunsAgain) {
  tool_->effect(EffectClass::Pure);
  life_ = begin();
  life_->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return tool_->keys.size() == 1; }, 10s));
  EXPECT_EQ(call().state, ToolCallState::Intended) << "needs no start record";
  life_ = taken_over_from(*life_);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(tool_->keys.size(), 2u);
}

/// A job whose worker died in the middle of a call that may happen once only, and which a person is
/// asked about.
class PersonTest : public EngineTest {
 protected:
  PersonTest() { agents_ = make_agents_that_ask(); }

  AgentDirectory make_agents_that_ask() const {
    RunProfile profile;
    profile.model = "two-step";
    profile.tools = registry_.specs({});
    profile.on_unknown = OnUnknown::WaitForPerson;
    return AgentDirectory({profile}, {{"two-step", 0}});
  }

  void crash_during_the_call() {
    tool_->effect(EffectClass::Once);
    life_ = begin(10, 3h);
    life_->engine->take(records({"a", "b"}, "talk"));
    ASSERT_TRUE(executor_.run_until([&] { return tool_->keys.size() == 1; }, 10s));
    life_ = taken_over_from(*life_, 3h);
    ASSERT_TRUE(executor_.run_until([&] { return job("a").state == JobState::Waiting; }, 10s));
  }

  void resolve(CallVerdict verdict) {
    CallAnswer answer;
    answer.verdict = verdict;
    const auto resolved = ledger_.resolve(TenantId("acme"), JobId("a"), answer);
    ASSERT_TRUE(resolved) << resolved.error().message;
  }

  void expect_the_end(ToolCallState call, std::size_t runs) {
    ASSERT_TRUE(run_until_finished(2));
    const JobResult& result = job("a").finished->result;
    EXPECT_EQ(result.outcome, Outcome::Completed);
    EXPECT_EQ(result.attempts, 2) << "waiting is no attempt";
    EXPECT_EQ(result.totals.wasted_model_calls, 0);
    EXPECT_EQ(result.totals.tool_calls, 1);
    EXPECT_EQ(job("a").calls.begin()->second.state, call);
    EXPECT_EQ(tool_->keys.size(), runs);
  }

  std::unique_ptr<Life> life_;
};

TEST_F(PersonTest, TheJobWaitsHoldingNoSlotUntilSomebodyAnswers) {
  crash_during_the_call();
  executor_.run_for(2h);
  EXPECT_EQ(life_->engine->running(), 0) << "nor does the next of its conversation run";
  EXPECT_EQ(job("a").state, JobState::Waiting);
  EXPECT_EQ(job("a").calls.begin()->second.state, ToolCallState::Running);
  EXPECT_EQ(tool_->keys.size(), 1u);
  EXPECT_EQ(model_.asked, 1);
  resolve(CallVerdict::GiveUp);
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed)
      << "the deadline does not count the wait";
}

TEST_F(PersonTest, ACallThatHappenedIsNotRunAgain) {
  crash_during_the_call();
  resolve(CallVerdict::Happened);
  expect_the_end(ToolCallState::Succeeded, 2);  // with that of the second job
}

TEST_F(PersonTest, ACallThatDidNotHappenRuns) {
  crash_during_the_call();
  resolve(CallVerdict::DidNotHappen);
  expect_the_end(ToolCallState::Succeeded, 3);
}

TEST_F(PersonTest, ACallThatIsGivenUpIsUnknownToTheModel) {
  crash_during_the_call();
  resolve(CallVerdict::GiveUp);
  expect_the_end(ToolCallState::Unknown, 2);
}

TEST_F(PersonTest, AWaitingJobCanBeCancelled) {
  crash_during_the_call();
  ASSERT_TRUE(control("a", JobAction::Cancel));
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Cancelled);
  EXPECT_EQ(job("a").calls.begin()->second.state, ToolCallState::Unknown);
}

TEST_F(PersonTest, AWaitWhoseHandBackFailsComesAgain) {
  ledger_.fail_next(LedgerCall::HandBack, ledger_is_down());
  crash_during_the_call();
  EXPECT_EQ(tool_->keys.size(), 1u);
}

}  // namespace
}  // namespace ba::driver
