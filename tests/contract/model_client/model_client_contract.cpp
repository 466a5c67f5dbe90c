// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/model_client/model_client_contract.hpp"

namespace ba {

void ModelClientContract::ask() {
  ask({[this](ModelOutcome outcome) {
         ++done_;
         outcome_ = std::move(outcome);
       },
       [this] { ++lost_; }});
}

void ModelClientContract::ask(ModelListener listener) {
  call_ = rig_->client().ask(rig_->request(), std::move(listener));
}

bool ModelClientContract::run_until_lost(int times) {
  return rig_->run_until([this, times] { return lost_ == times; });
}

bool ModelClientContract::run_until_done() {
  return rig_->run_until([this] { return done_ > 0; });
}

namespace {

TEST_P(ModelClientContract, AnswersOnceAndNotFromInsideTheQuestion) {
  ask();
  EXPECT_EQ(done_, 0);
  ASSERT_TRUE(run_until_done());
  rig_->settle();
  EXPECT_EQ(done_, 1);
  EXPECT_EQ(lost_, 0);
  EXPECT_EQ(rig_->paid(), 1);
  const auto& reply = std::get<ModelReply>(*outcome_);
  EXPECT_EQ(reply.tries, 1);
  EXPECT_EQ(reply.wasted_calls, 0);
}

TEST_P(ModelClientContract, ADestroyedCallSaysNothing) {
  ask();
  call_.reset();
  rig_->settle();
  EXPECT_EQ(done_ + lost_, 0);
}

TEST_P(ModelClientContract, RestsAfterALostTryUntilItIsToldToGoOn) {
  rig_->lose_replies(true);
  ask();
  ASSERT_TRUE(run_until_lost(1));
  rig_->settle();
  EXPECT_EQ(lost_, 1);
  EXPECT_EQ(rig_->paid(), 1);
  rig_->lose_replies(false);
  call_->go_on();
  EXPECT_EQ(done_, 0) << "answered from inside go_on()";
  ASSERT_TRUE(run_until_done());
  const auto& reply = std::get<ModelReply>(*outcome_);
  EXPECT_EQ(reply.tries, 2);
  EXPECT_EQ(reply.wasted_calls, 1);
  EXPECT_EQ(rig_->paid(), 2);
}

TEST_P(ModelClientContract, ARestingCallMayBeDestroyed) {
  rig_->lose_replies(true);
  ask();
  ASSERT_TRUE(run_until_lost(1));
  call_.reset();
  rig_->settle();
  EXPECT_EQ(rig_->paid(), 1);
  EXPECT_EQ(done_, 0);
}

TEST_P(ModelClientContract, ACallMayBeDestroyedByWhoHearsOfALostTry) {
  rig_->lose_replies(true);
  bool heard = false;
  ask({[this](const ModelOutcome&) { ++done_; },
       [&] {
         call_.reset();
         heard = true;
       }});
  ASSERT_TRUE(rig_->run_until([&] { return heard; }));
  rig_->settle();
  EXPECT_EQ(done_, 0);
  EXPECT_EQ(rig_->paid(), 1);
}

TEST_P(ModelClientContract, ACallMayBeDestroyedByWhoHearsTheAnswer) {
  ask({[this](const ModelOutcome&) {
         call_.reset();
         ++done_;
       },
       {}});
  ASSERT_TRUE(run_until_done());
  rig_->settle();
  EXPECT_EQ(done_, 1);
}

TEST_P(ModelClientContract, GivesUpInTheEndWithEveryLostTryAnnounced) {
  rig_->lose_replies(true);
  ask();
  for (int times = 1; !outcome_ && times < 100; ++times) {
    ASSERT_TRUE(rig_->run_until([&] { return lost_ == times || outcome_; }));
    if (!outcome_) call_->go_on();
  }
  ASSERT_TRUE(outcome_);
  const auto& failure = std::get<ModelFailure>(*outcome_);
  EXPECT_GT(lost_, 1);
  EXPECT_EQ(failure.wasted_calls, lost_);
  EXPECT_EQ(rig_->paid(), lost_);
}

}  // namespace
}  // namespace ba
