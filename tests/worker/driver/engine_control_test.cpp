// SPDX-License-Identifier: Apache-2.0
// Drains, cancelled and paused jobs, and those that wait behind them.
#include "tests/worker/driver/engine_fixture.hpp"

namespace ba::driver {
namespace {

TEST_F(EngineTest, HandsAJobBackInsteadOfRepeatingALostTryInADrain) {
  model_.losses = 1;
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  life->engine->drain([&] { life->drained = true; });
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 10s));
  EXPECT_EQ(job("a").state, FakeJobState::Ready);
  EXPECT_EQ(model_.asked, 1);
  auto next = begin();
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 1);
}

TEST_F(EngineTest, DrainsAtTheNextBoundaryAndCountsNoAttempt) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  life->engine->drain([&] { life->drained = true; });
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 10s));
  EXPECT_EQ(job("a").state, FakeJobState::Ready);
  EXPECT_EQ(job("a").steps.size(), 1u) << "the step in flight was completed";
  auto next = begin();
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.attempts, 1);
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 0);
  EXPECT_EQ(model_.asked, 2);
}

TEST_F(EngineTest, GivesUpAModelCallWhenTheGraceIsOverAndCountsIt) {
  auto life = begin();
  model_.delay = 1h;
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  life->engine->drain([&] { life->drained = true; });
  executor_.run_for(5s);
  EXPECT_FALSE(life->drained);
  life->engine->abandon();
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 10s));
  model_.delay = 1s;
  auto next = begin();
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 1);
}

TEST_F(EngineTest, GivesUpBetweenTwoTriesWithoutALostCall) {
  auto life = begin();
  model_.failures = 1;
  model_.backoff = 1h;
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  executor_.run_for(5s);
  life->engine->drain([&] { life->drained = true; });
  life->engine->abandon();
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 10s));
  auto next = begin();
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 0);
}

TEST_F(EngineTest, HandsAJobBackOnlyOnceItsLostCallIsRecorded) {
  auto life = begin();
  model_.delay = 1h;
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  for (int i = 0; i < 3; ++i) ledger_.fail_next(LedgerCall::Append, ledger_is_down());
  life->engine->drain([&] { life->drained = true; });
  life->engine->abandon();
  executor_.run_for(100ms);
  EXPECT_FALSE(life->drained);
  EXPECT_EQ(job("a").state, FakeJobState::Running);
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 10s));
  EXPECT_EQ(job("a").wasted_model_calls.at(life->id), 1);
}

TEST_F(EngineTest, CancelsARunningJobAndCountsTheCallInFlight) {
  model_.delay = 1h;
  auto life = begin(1);
  life->engine->take(records({"a", "b"}));
  ASSERT_TRUE(run_until_asked(1));
  ASSERT_TRUE(control("a", JobAction::Cancel));
  ASSERT_TRUE(run_until_finished(1)) << "also without a free slot";
  const JobResult& result = job("a").finished->result;
  EXPECT_EQ(result.outcome, Outcome::Cancelled);
  EXPECT_EQ(result.totals.wasted_model_calls, 1);
  EXPECT_TRUE(run_until_asked(2)) << "the next one runs";
}

TEST_F(EngineTest, ACancelledJobWhoseWriteIsRepeatedPastItsDeadlineEndsAsCancelled) {
  auto life = begin(10, 3h);
  model_.delay = 1h - 2s;  // the deadline is one hour
  for (int i = 0; i < 20; ++i) ledger_.fail_next(LedgerCall::Append, ledger_is_down());
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  executor_.run_for(1h - 1500ms);
  ASSERT_TRUE(control("a", JobAction::Cancel));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Cancelled);
}

TEST_F(EngineTest, CancelsAWaitingJobWithoutAModelCall) {
  model_.delay = 1h;
  auto life = begin(1);
  life->engine->take(records({"a", "b"}));
  ASSERT_TRUE(run_until_asked(1));
  ASSERT_TRUE(control("b", JobAction::Cancel));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("b").finished->result.outcome, Outcome::Cancelled);
  EXPECT_EQ(ledger_.outbox().size(), 2u) << "a result and a metrics report as of any job";
  EXPECT_EQ(model_.asked, 1);
}

TEST_F(EngineTest, PausesAJobAtItsNextBoundaryAndGoesOnWhenItIsResumed) {
  auto life = begin(10, 3h);
  life->engine->take(records({"a", "b"}, "talk"));
  ASSERT_TRUE(run_until_asked(1));
  ASSERT_TRUE(control("a", JobAction::Pause));
  ASSERT_TRUE(executor_.run_until([&] { return job("a").state == JobState::Paused; }, 10s));
  EXPECT_EQ(job("a").steps.size(), 1u) << "the step in flight was completed";
  executor_.run_for(2h);
  EXPECT_EQ(model_.asked, 1) << "neither it nor the next of its conversation runs";
  ASSERT_TRUE(control("a", JobAction::Resume));
  ASSERT_TRUE(run_until_finished(2));
  const JobResult& result = job("a").finished->result;
  EXPECT_EQ(result.outcome, Outcome::Completed) << "the deadline does not count the pause";
  EXPECT_EQ(result.attempts, 1);
  EXPECT_EQ(model_.asked, 4);
}

TEST_F(EngineTest, APauseBeforeAJobBeganMakesItsDeadlineNoLonger) {
  auto life = begin(1, 20h);
  life->engine->take(records({"a", "b"}));
  ASSERT_TRUE(run_until_asked(1));
  ASSERT_TRUE(control("b", JobAction::Pause));
  executor_.run_for(3h);
  ASSERT_EQ(job("b").state, JobState::Paused);
  model_.delay = 70min;  // and the deadline is one hour
  ASSERT_TRUE(control("b", JobAction::Resume));
  ASSERT_TRUE(run_until_finished(2, 10h));
  EXPECT_EQ(job("b").finished->result.outcome, Outcome::DeadlineExceeded);
}

TEST_F(EngineTest, AJobThatWaitsTooLongForItsConversationEndsWithoutAModelCall) {
  conversation_wait_max_ = 60s;
  auto life = begin(10, 3h);
  life->engine->take(records({"a", "b"}, "talk"));
  ASSERT_TRUE(run_until_asked(1));
  ASSERT_TRUE(control("a", JobAction::Pause));
  ASSERT_TRUE(executor_.run_until([&] { return job("a").state == JobState::Paused; }, 10s));
  executor_.run_for(45s);
  EXPECT_EQ(job("b").state, JobState::Ready) << "it may still wait";
  ASSERT_TRUE(run_until_finished(1));
  const JobResult& result = job("b").finished->result;
  EXPECT_EQ(result.outcome, Outcome::DeadlineExceeded);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, "CONVERSATION_BUSY");
  EXPECT_EQ(ledger_.outbox().size(), 2u) << "a result and a metrics report as of any job";
  EXPECT_EQ(model_.asked, 1);
  EXPECT_TRUE(job("b").rounds.empty());
  ASSERT_TRUE(control("a", JobAction::Resume));
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
}

TEST_F(EngineTest, AllWhoWaitTooLongForOneJobEndSoon) {
  conversation_wait_max_ = 600s;
  auto life = begin(1, 3h);
  life->engine->take(records({"a", "b", "c", "d", "e"}, "talk"));
  ASSERT_TRUE(run_until_asked(1));
  ASSERT_TRUE(control("a", JobAction::Pause));
  ASSERT_TRUE(run_until_finished(1, 700s));
  ASSERT_TRUE(run_until_finished(4, 3s)) << "a look that found one is followed by the next";
  EXPECT_EQ(job("a").state, JobState::Paused);
}

TEST_F(EngineTest, AnOverdueJobThatIsHandedBackBeforeItsEndEndsLater) {
  conversation_wait_max_ = 60s;
  auto life = begin(10, 3h);
  life->engine->take(records({"a", "b"}, "talk"));
  ASSERT_TRUE(run_until_asked(1));
  ASSERT_TRUE(control("a", JobAction::Pause));
  ASSERT_TRUE(executor_.run_until([&] { return job("b").state == JobState::Running; }, 100s));
  conversation_wait_max_ = 0s;
  auto next = taken_over_from(*life, 3h);
  ASSERT_TRUE(run_until_finished(1));
  ASSERT_TRUE(job("b").finished);
  EXPECT_EQ(job("b").finished->result.error->code, "CONVERSATION_BUSY");
}

TEST_F(EngineTest, APausedJobCanBeCancelled) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  ASSERT_TRUE(control("a", JobAction::Pause));
  ASSERT_TRUE(executor_.run_until([&] { return job("a").state == JobState::Paused; }, 10s));
  ASSERT_TRUE(control("a", JobAction::Cancel));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Cancelled);
  EXPECT_EQ(job("a").finished->result.totals.steps, 1);
}

TEST_F(EngineTest, LostCallsBeforeAndAfterAPauseOfOneLifeAreAllCounted) {
  auto life = begin();
  model_.losses = 1;
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  ASSERT_TRUE(control("a", JobAction::Pause));
  ASSERT_TRUE(executor_.run_until([&] { return job("a").state == JobState::Paused; }, 10s));
  model_.losses = 1;
  ASSERT_TRUE(control("a", JobAction::Resume));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").wasted_model_calls.at(life->id), 2);
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 2);
  EXPECT_EQ(model_.asked, 4) << "paid = persisted (2) + recorded as wasted (2)";
}

TEST_F(EngineTest, AHandBackThatMayBeDoneYetEndsTheLife) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  ASSERT_TRUE(control("a", JobAction::Pause));
  Error unheard;
  unheard.code = ErrorCode::Timeout;
  unheard.maybe_done = true;
  ledger_.fail_next(LedgerCall::HandBack, unheard);
  EXPECT_TRUE(executor_.run_until([&] { return life->fenced; }, 10s));
}

TEST_F(EngineTest, APauseWhoseHandBackFailsIsHonouredAgain) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  ASSERT_TRUE(control("a", JobAction::Pause));
  ledger_.fail_next(LedgerCall::HandBack, ledger_is_down());
  ASSERT_TRUE(executor_.run_until([&] { return job("a").state == JobState::Paused; }, 10s));
  EXPECT_EQ(model_.asked, 1);
}

}  // namespace
}  // namespace ba::driver
