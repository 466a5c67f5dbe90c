// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/tool/tool_contract.hpp"

#include <gmock/gmock.h>

#include <array>
#include <nlohmann/json.hpp>
#include <regex>

#include "pipeline/core/tool/schema_check.hpp"

namespace ba {

using testing::IsEmpty;
using testing::SizeIs;

void ToolContract::start(HeardCall& call, int number) {
  rig_->act([&] {
    call.run = rig_->tool().run(rig_->call(number), call.listener());
    EXPECT_THAT(call.answers, IsEmpty()) << "from inside run()";
  });
}

void ToolContract::expect_success(const HeardCall& call, int number) {
  ASSERT_THAT(call.answers, SizeIs(1));
  const RawToolResult& result = call.answers.front();
  EXPECT_FALSE(result.error) << result.error->message;
  EXPECT_FALSE(result.outcome_unknown);
  EXPECT_EQ(result.data, rig_->data(number));
}

namespace {

TEST_P(ToolContract, DescribesItselfAsModelsAndTheRegistryNeedIt) {
  const ToolDescriptor& descriptor = rig_->tool().descriptor();
  EXPECT_TRUE(std::regex_match(descriptor.name, std::regex("[a-zA-Z0-9_-]{1,64}")));
  EXPECT_FALSE(descriptor.version.empty());
  EXPECT_FALSE(descriptor.description.empty());
  EXPECT_GT(descriptor.timeout, Milliseconds(0));
  EXPECT_TRUE(nlohmann::json::parse(descriptor.parameters_schema).is_object());
  const auto schema = SchemaCheck::compile(descriptor.parameters_schema);
  ASSERT_TRUE(schema) << schema.error().message;
  const auto checked = schema->check(rig_->call(0).parameters, 1'000'000);
  EXPECT_TRUE(checked) << checked.error().message;
}

TEST_P(ToolContract, HasAStatusIfAndOnlyIfItIsReconcilable) {
  EXPECT_EQ(rig_->tool().status_source() != nullptr,
            rig_->tool().descriptor().effect == EffectClass::Reconcilable);
}

TEST_P(ToolContract, AnswersOnceAndNotFromInsideTheCall) {
  HeardCall call;
  start(call);
  ASSERT_TRUE(run_until([&] { return !call.answers.empty(); }));
  rig_->settle();
  expect_success(call);
  EXPECT_TRUE(nlohmann::json::accept(call.answers.front().data));
}

TEST_P(ToolContract, CallsAtTheSameTimeAreAnsweredEachForItself) {
  std::array<HeardCall, 5> calls;
  for (std::size_t i = 0; i < calls.size(); ++i) start(calls[i], static_cast<int>(i));
  ASSERT_TRUE(run_until([&] {
    return std::all_of(calls.begin(), calls.end(),
                       [](const HeardCall& call) { return !call.answers.empty(); });
  }));
  rig_->settle();
  for (std::size_t i = 0; i < calls.size(); ++i) expect_success(calls[i], static_cast<int>(i));
}

TEST_P(ToolContract, ADestroyedCallSaysNothing) {
  HeardCall gone;
  HeardCall stays;
  start(gone, 0);
  start(stays, 1);
  gone.run.reset();
  ASSERT_TRUE(run_until([&] { return !stays.answers.empty(); }));
  rig_->settle();
  EXPECT_THAT(gone.answers, IsEmpty());
  expect_success(stays, 1);
}

TEST_P(ToolContract, WhoHearsAnAnswerMayDestroyItsCall) {
  HeardCall call;
  call.at_answer = [&] { call.run.reset(); };
  start(call);
  ASSERT_TRUE(run_until([&] { return !call.answers.empty(); }));
  rig_->settle();
  expect_success(call);
}

TEST_P(ToolContract, WhoHearsAnAnswerMayDestroyAnotherCall) {
  std::array<HeardCall, 2> calls;
  for (std::size_t i = 0; i < 2; ++i)
    calls[i].at_answer = [&calls, i] { calls[1 - i].run.reset(); };
  for (std::size_t i = 0; i < 2; ++i) start(calls[i], static_cast<int>(i));
  ASSERT_TRUE(run_until([&] { return calls[0].answers.size() + calls[1].answers.size() > 0; }));
  rig_->settle();
  EXPECT_EQ(calls[0].answers.size() + calls[1].answers.size(), 1u);
}

TEST_P(ToolContract, WhoHearsAnAnswerMayCallAgain) {
  HeardCall first;
  HeardCall second;
  first.at_answer = [&] {
    second.run = rig_->tool().run(rig_->call(1), second.listener());
    EXPECT_THAT(second.answers, IsEmpty()) << "from inside run()";
  };
  start(first, 0);
  ASSERT_TRUE(run_until([&] { return !second.answers.empty(); }));
  rig_->settle();
  expect_success(first, 0);
  expect_success(second, 1);
}

TEST_P(ToolContract, ACallThatMayBeRunAgainAnswersAsBefore) {
  const EffectClass effect = rig_->tool().descriptor().effect;
  const bool repeatable = effect == EffectClass::Pure || effect == EffectClass::Keyed;
  for (int run = 0; run < (repeatable ? 3 : 1); ++run) {
    HeardCall call;
    start(call);
    ASSERT_TRUE(run_until([&] { return !call.answers.empty(); }));
    expect_success(call);
  }
}

TEST_P(ToolContract, TheToolMayGoRightAfterACallUnderWay) {
  HeardCall call;
  start(call);
  call.run.reset();
  rig_->close();
  rig_->settle();
  EXPECT_THAT(call.answers, IsEmpty());
}

}  // namespace
}  // namespace ba
