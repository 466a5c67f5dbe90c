// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/tool/status_contract.hpp"

#include <gmock/gmock.h>

namespace ba {

using testing::IsEmpty;
using testing::SizeIs;
using Verdict = EffectStatus::Verdict;

void StatusContract::run_call(int number) {
  Heard<RawToolResult> call;
  rig_->act([&] { call.run = rig_->tool().run(rig_->call(number), call.listener()); });
  ASSERT_TRUE(run_until([&] { return !call.answers.empty(); }));
  rig_->happened(number);
}

void StatusContract::ask(HeardStatus& question, int number) {
  rig_->act([&] {
    question.run = rig_->tool().status_source()->status(rig_->call(number), question.listener());
    EXPECT_THAT(question.answers, IsEmpty()) << "from inside status()";
  });
}

namespace {

TEST_P(StatusContract, ACallThatHappenedHasTheAnswerOfItsRun) {
  run_call(0);
  HeardStatus question;
  ask(question, 0);
  ASSERT_TRUE(run_until([&] { return !question.answers.empty(); }));
  rig_->settle();
  ASSERT_THAT(question.answers, SizeIs(1));
  EXPECT_EQ(question.answers[0].verdict, Verdict::Happened);
  EXPECT_FALSE(question.answers[0].result.error);
  EXPECT_EQ(question.answers[0].result.data, rig_->data(0));
}

TEST_P(StatusContract, ACallThatWasNeverMadeHasNotHappened) {
  HeardStatus question;
  ask(question, 1);
  ASSERT_TRUE(run_until([&] { return !question.answers.empty(); }));
  rig_->settle();
  ASSERT_THAT(question.answers, SizeIs(1));
  EXPECT_NE(question.answers[0].verdict, Verdict::Happened);
}

TEST_P(StatusContract, AQuestionMayBeAskedAgain) {
  run_call(0);
  for (int i = 0; i < 3; ++i) {
    HeardStatus question;
    ask(question, 0);
    ASSERT_TRUE(run_until([&] { return !question.answers.empty(); }));
    EXPECT_EQ(question.answers[0].verdict, Verdict::Happened);
  }
}

TEST_P(StatusContract, ADestroyedQuestionHasNoAnswer) {
  run_call(0);
  HeardStatus gone;
  HeardStatus stays;
  ask(gone, 0);
  ask(stays, 0);
  gone.run.reset();
  ASSERT_TRUE(run_until([&] { return !stays.answers.empty(); }));
  rig_->settle();
  EXPECT_THAT(gone.answers, IsEmpty());
  EXPECT_THAT(stays.answers, SizeIs(1));
}

TEST_P(StatusContract, WhoHearsTheStatusMayDestroyTheQuestion) {
  HeardStatus question;
  question.at_answer = [&] { question.run.reset(); };
  ask(question, 1);
  ASSERT_TRUE(run_until([&] { return !question.answers.empty(); }));
  rig_->settle();
  EXPECT_THAT(question.answers, SizeIs(1));
}

}  // namespace
}  // namespace ba
