// SPDX-License-Identifier: Apache-2.0
// Sub-agents and workers that die, drain or lose answers; jobs that are cancelled and paused.
#include "tests/worker/driver/sub_agent_fixture.hpp"

namespace ba::driver {

using testing::HasSubstr;
using testing::SizeIs;

class SubAgentCrashTest : public SubAgentTest {
 protected:
  /// Whatever was paid is in the bill, or recorded as lost.
  void expect_true_bill(const std::string& id = "a") {
    const JobTotals& totals = job(id).finished->result.totals;
    EXPECT_LE(10 * model_.asked, totals.usage.total() + 10 * totals.wasted_model_calls);
    EXPECT_GE(totals.usage.total(), tokens_stored());
    int wasted = 0;
    for (const auto& [row, each] : ledger_.jobs())
      for (const auto& [incarnation, calls] : each.wasted_model_calls) wasted += calls;
    EXPECT_EQ(totals.wasted_model_calls, wasted);
  }

  /// Of its sub-agents too, by what the ledger has of each call.
  void expect_saved_as_stored(const std::string& id) {
    const FakeJob& asking = job(id);
    Savings stored;
    Savings of_sub_agents;
    for (const auto& [at, step] : asking.steps) stored += step.savings;
    for (const FakeJob* own : sub_agents())
      if (own->asked_by->job == asking.id)
        for (const auto& [at, step] : own->steps) of_sub_agents += step.savings;
    EXPECT_NE(of_sub_agents.encoding.tokens, 0);
    stored += of_sub_agents;
    EXPECT_EQ(asking.finished->result.totals.savings, stored);
  }

  void expect_answered() {
    EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
    EXPECT_THAT(observation("a"), HasSubstr("the answer\n\nagentId: "));
    for (const FakeJob* own : sub_agents()) EXPECT_EQ(own->state, JobState::Finished);
  }
};

TEST_F(SubAgentCrashTest, AWorkerThatDiesAtAnyMomentLosesNothingThatIsDurable) {
  tool_->data = R"([{"n":1},{"n":2},{"n":3},{"n":4},{"n":5},{"n":6},{"n":7},{"n":8}])";
  for (Milliseconds moment{50}; moment < 4500ms; moment += 130ms) {
    SCOPED_TRACE(moment.count());
    const std::string id = "job-" + std::to_string(moment.count());
    const auto before = sub_agents().size();
    auto life = begin();
    life->engine->take(records({id}));
    executor_.run_for(moment);
    auto heir = taken_over_from(*life);
    ASSERT_TRUE(run_until_done(id));
    EXPECT_EQ(job(id).finished->result.outcome, Outcome::Completed);
    EXPECT_EQ(sub_agents().size(), before + 1) << "the same one goes on";
    const JobTotals& totals = job(id).finished->result.totals;
    EXPECT_EQ(totals.usage.total(), 40) << "no durable reply is asked again";
    EXPECT_LE(totals.wasted_model_calls, 1);
    expect_saved_as_stored(id);
    heir->engine->drop();
    ledger_.expire(heir->id);
  }
}

TEST_F(SubAgentCrashTest, ASubAgentThatEndedBeforeTheCrashIsNotRunAgain) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(
      executor_.run_until([&] { return !sub_agents().empty() && sub_agents()[0]->finished; }, 10s));
  const int asked = model_.asked;
  auto heir = taken_over_from(*life);
  ASSERT_TRUE(run_until_done());
  expect_answered();
  EXPECT_EQ(model_.asked, asked + 1) << "the job's own last";
  EXPECT_EQ(job("a").finished->result.totals.usage.total(), 40);
}

TEST_F(SubAgentCrashTest, ADrainHandsBothBackAndAnotherWorkerGoesOn) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(2));  // the sub-agent's first
  life->engine->drain([&] { life->drained = true; });
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 5s));
  EXPECT_EQ(job("a").state, JobState::Ready);
  EXPECT_EQ(sub_agents()[0]->state, JobState::Held);
  EXPECT_EQ(model_.asked, 2) << "what was under way is durable, and nothing more was asked";
  auto heir = begin();
  ASSERT_TRUE(run_until_done());
  expect_answered();
  EXPECT_EQ(job("a").finished->result.totals.usage.total(), 40);
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 0);
  EXPECT_THAT(sub_agents(), SizeIs(1));
  EXPECT_EQ(job("a").attempt, 1);
  EXPECT_EQ(sub_agents()[0]->attempt, 1);
}

TEST_F(SubAgentCrashTest, ADrainThatIsOutOfTimeCountsTheCallsUnderWay) {
  asks = {{task(1, "explorer"), task(2, "explorer")}};
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(3));
  life->engine->drain([&] { life->drained = true; });
  life->engine->abandon();
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 500ms));
  EXPECT_EQ(job("a").state, JobState::Ready);
  auto heir = begin();
  ASSERT_TRUE(run_until_done());
  expect_answered();
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 2);
  expect_true_bill();
}

TEST_F(SubAgentCrashTest, ADrainBeforeTheSubAgentBeginsLeavesItToTheNextWorker) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(
      executor_.run_until([&] { return !ledger_.jobs().empty() && !job("a").calls.empty(); }, 10s));
  life->engine->drain([&] { life->drained = true; });
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 5s));
  EXPECT_EQ(model_.asked, 1);
  auto heir = begin();
  ASSERT_TRUE(run_until_done());
  expect_answered();
}

TEST_F(SubAgentCrashTest, APausedJobsSubAgentWaitsToo) {
  auto life = begin(10, 1h);
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(2));
  ASSERT_TRUE(control("a", JobAction::Pause));
  ASSERT_TRUE(executor_.run_until([&] { return job("a").state == JobState::Paused; }, 10s));
  EXPECT_EQ(sub_agents()[0]->state, JobState::Held);
  EXPECT_LE(model_.asked, 3);
  const int asked = model_.asked;
  executor_.run_for(60s);
  EXPECT_EQ(model_.asked, asked);
  ASSERT_TRUE(control("a", JobAction::Resume));
  ASSERT_TRUE(run_until_done());
  expect_answered();
  EXPECT_EQ(job("a").finished->result.totals.usage.total(), 40);
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 0);
}

/// Whose other call ends after the sub-agent went back, and in a way that is written nowhere until
/// a person has said what came of it.
TEST_F(SubAgentCrashTest, APausedJobGoesBackBesideACallThatWaitsForAPerson) {
  tool_->effect(EffectClass::Once);
  default_.on_unknown = OnUnknown::WaitForPerson;
  set_agents();
  ToolCall look;
  look.id = ToolCallId("look_1");
  look.name = "look";
  asks = {{task(1, "explorer"), look}};
  explorer_asks = look;
  explorer_asks->name = "unheard_of";  // answered at once
  tool_->loses = true;
  tool_->takes = 10s;
  auto life = begin(10, 1h);
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(2));
  ASSERT_TRUE(control("a", JobAction::Pause));
  executor_.run_for(5s);
  EXPECT_EQ(job("a").state, JobState::Running) << "the tool is at work";
  EXPECT_EQ(model_.asked, 2) << "the sub-agent stopped at its boundary";
  ASSERT_TRUE(executor_.run_until([&] { return job("a").state == JobState::Paused; }, 20s));
  EXPECT_EQ(sub_agents()[0]->state, JobState::Held);
}

TEST_F(SubAgentCrashTest, ACancelledJobTakesItsSubAgentsWithIt) {
  asks = {{task(1, "explorer"), task(2, "explorer")}};
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(3));
  ASSERT_TRUE(control("a", JobAction::Cancel));
  ASSERT_TRUE(run_until_done());
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Cancelled);
  for (const FakeJob* own : sub_agents()) {
    EXPECT_EQ(own->state, JobState::Finished);
    EXPECT_EQ(own->finished->result.outcome, Outcome::Cancelled);
  }
  expect_true_bill();
  const int asked = model_.asked;
  executor_.run_for(60s);
  EXPECT_EQ(model_.asked, asked);
}

TEST_F(SubAgentCrashTest, OneThatUsesUpItsAttemptsIsAnErrorAndTheJobGoesOn) {
  default_.limits.attempts_max = 10;
  explorer_.limits.attempts_max = 2;
  set_agents();
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(2));
  for (int crash = 0; crash < 2; ++crash) {
    const int asked = model_.asked;
    life = taken_over_from(*life);
    ASSERT_TRUE(executor_.run_until([&] { return model_.asked > asked; }, 20s));
  }
  ASSERT_TRUE(run_until_done());
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
  EXPECT_THAT(observation("a"), HasSubstr("SUB_AGENT_POISONED"));
  EXPECT_EQ(sub_agents()[0]->finished->result.outcome, Outcome::Poisoned);
  EXPECT_TRUE(ledger_.dead_letters().empty());
}

TEST_F(SubAgentCrashTest, ALostAnswerOfTheLedgerIsNoSecondSubAgent) {
  ledger_.lose_next_answer(LedgerCall::BeginSubAgent);
  ledger_.fail_next(LedgerCall::BeginSubAgent, ledger_is_down());
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  expect_answered();
  EXPECT_THAT(sub_agents(), SizeIs(1));
  EXPECT_EQ(sub_agents()[0]->attempt, 1);
}

TEST_F(SubAgentCrashTest, AFencedWorkerDropsThem) {
  auto life = begin(10, 1500ms);
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(2));
  ASSERT_TRUE(executor_.run_until([&] { return life->fenced; }, 10s));
  const int asked = model_.asked;
  executor_.run_for(20s);
  EXPECT_EQ(model_.asked, asked);
}

}  // namespace ba::driver
