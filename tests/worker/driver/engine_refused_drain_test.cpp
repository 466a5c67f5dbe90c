// SPDX-License-Identifier: Apache-2.0
// What becomes of a job whose rows the ledger refuses while it goes back in a drain.
#include "tests/worker/driver/engine_fixture.hpp"

namespace ba::driver {
namespace {

Error rows_are_refused() { return make_error(ErrorCode::InvalidArgument, "invalid byte sequence"); }

TEST_F(EngineTest, AHandBackThatIsRefusedInADrainLosesNothingAndTheJobRunsAgain) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  ledger_.fail_next(LedgerCall::HandBack, rows_are_refused());
  life->engine->drain([&] { life->drained = true; });
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 10s)) << "nothing waits for it";
  EXPECT_EQ(job("a").state, FakeJobState::Running) << "it did not go back";
  EXPECT_EQ(job("a").steps.size(), 1u) << "the step in flight was completed";
  ledger_.leave(life->id, [](auto left) { EXPECT_TRUE(left); });
  executor_.run_for(0ms);
  EXPECT_EQ(job("a").state, FakeJobState::Ready) << "it goes back with the worker";
  auto next = begin();
  ASSERT_TRUE(run_until_finished(1));
  const JobResult& result = job("a").finished->result;
  EXPECT_EQ(result.outcome, Outcome::Completed);
  EXPECT_EQ(result.attempts, 1);
  EXPECT_EQ(result.totals.wasted_model_calls, 0);
  EXPECT_EQ(model_.asked, 2) << "the step of before the drain is not asked for again";
}

TEST_F(EngineTest, RowsThatAreRefusedWhileAJobGoesBackEndItWithItsLostCall) {
  auto life = begin();
  model_.delay = 1h;
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  ledger_.fail_next(LedgerCall::Append, rows_are_refused());
  life->engine->drain([&] { life->drained = true; });
  life->engine->abandon();
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 10s));
  ASSERT_TRUE(job("a").finished);
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Failed);
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 1) << "it was paid";
}

TEST_F(EngineTest, AJobWhoseEveryRowIsRefusedInADrainCanBeClaimedAgain) {
  auto life = begin();
  model_.delay = 1h;
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  for (int i = 0; i < 2; ++i) ledger_.fail_next(LedgerCall::Append, rows_are_refused());
  life->engine->drain([&] { life->drained = true; });
  life->engine->abandon();
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 10s)) << "its end was refused too";
  EXPECT_FALSE(job("a").finished);
  ledger_.leave(life->id, [](auto left) { EXPECT_TRUE(left); });
  executor_.run_for(0ms);
  EXPECT_EQ(job("a").state, FakeJobState::Ready);
  model_.delay = 1s;
  auto next = begin();
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
}

}  // namespace
}  // namespace ba::driver
