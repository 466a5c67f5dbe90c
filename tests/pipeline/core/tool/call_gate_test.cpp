// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/call_gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/core/tool/tool_runtime.hpp"
#include "tests/support/fake_tool.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Gate : public testing::Test {
 protected:
  CallGate& gate() { return made ? *made : made.emplace(limits, time, time); }
  /// Enters; its number is noted once it is let in.
  std::unique_ptr<CallGate::Place> enter(int number) {
    auto place = gate().enter([this, number] { in.push_back(number); });
    if (place->in()) in.push_back(number);
    return place;
  }

  VirtualExecutor time;
  GateLimits limits;
  std::optional<CallGate> made;
  std::vector<int> in;
};

TEST_F(Gate, LetsSoManyInAtOnceAndTheOthersInTheirOrder) {
  limits.concurrency_max = 2;
  auto first = enter(1);
  auto second = enter(2);
  auto third = enter(3);
  auto fourth = enter(4);
  time.run();
  EXPECT_THAT(in, ElementsAre(1, 2));
  second.reset();
  time.run();
  EXPECT_THAT(in, ElementsAre(1, 2, 3));
  auto fifth = enter(5);
  first.reset();
  third.reset();
  time.run();
  EXPECT_THAT(in, ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(Gate, WhoGivesUpWaitingIsPassedOver) {
  limits.concurrency_max = 1;
  auto first = enter(1);
  auto second = enter(2);
  auto third = enter(3);
  second.reset();
  first.reset();
  time.run();
  EXPECT_THAT(in, ElementsAre(1, 3));
}

TEST_F(Gate, LetsSoManyBeginInAMinute) {
  limits.calls_per_minute = 60;  // ten at once, then one a second
  std::vector<std::unique_ptr<CallGate::Place>> places;
  for (int i = 0; i < 15; ++i) places.push_back(enter(i));
  EXPECT_EQ(in.size(), 10U);
  time.run_for(Milliseconds(990));
  EXPECT_EQ(in.size(), 10U);
  time.run_for(Milliseconds(20));
  EXPECT_EQ(in.size(), 11U);
  time.run_for(Milliseconds(4000));
  EXPECT_EQ(in.size(), 15U);
  time.run_for(Milliseconds(3'600'000));
  for (int i = 0; i < 15; ++i) places.push_back(enter(i));
  EXPECT_EQ(in.size(), 25U) << "an idle hour saves ten seconds' worth, no more";
}

TEST_F(Gate, ASlowRateLetsOneInAtATime) {
  limits.calls_per_minute = 1;
  auto first = enter(1);
  auto second = enter(2);
  EXPECT_THAT(in, ElementsAre(1));
  time.run_for(Milliseconds(59'000));
  EXPECT_THAT(in, ElementsAre(1));
  time.run_for(Milliseconds(2'000));
  EXPECT_THAT(in, ElementsAre(1, 2));
}

TEST_F(Gate, HoldsBothLimits) {
  limits = {1, 60};
  auto first = enter(1);
  auto second = enter(2);
  time.run_for(Milliseconds(60'000));
  EXPECT_THAT(in, ElementsAre(1));
  first.reset();
  time.run_for(Milliseconds(1));
  EXPECT_THAT(in, ElementsAre(1, 2));
}

TEST(Gates, AreThoseOfTheToolAndOfItsSource) {
  VirtualExecutor time;
  CallGates gates({{"query", {1, 0}}, {"query/sales", {1, 0}}, {"other", {0, 0}}}, time, time);
  EXPECT_EQ(gates.of("query", "sales").size(), 2U);
  EXPECT_EQ(gates.of("query", "stock").size(), 1U);
  EXPECT_THAT(gates.of("other", ""), IsEmpty());
}

// ---- in a runtime ------------------------------------------------------------------------------

class GatedCalls : public testing::Test {
 protected:
  GatedCalls() {
    descriptor.name = "query";
    descriptor.effect = EffectClass::Pure;
    descriptor.source_parameter = "source";
    descriptor.timeout = Milliseconds(10'000);
    record.answers = {FakeTool::ok("1", Milliseconds(1000))};
  }

  void start(const std::string& source) {
    if (!runtime) {
      EXPECT_TRUE(registry.add(std::make_unique<FakeTool>(time, descriptor, record)));
      runtime.emplace(registry, config, time, time, random);
    }
    ToolRequest request;
    request.call.id = ToolCallId("c");
    request.call.name = "query";
    request.call.args_json = R"({"source":")" + source + "\"}";
    const std::size_t number = results.size();
    results.emplace_back();
    runs.push_back(runtime->run(
        request, [this, number](ToolResult result) { results[number] = std::move(result); }));
  }
  std::size_t done() const {
    return static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(), [](const auto& r) { return r.has_value(); }));
  }

  VirtualExecutor time;
  FixedRandom random;
  ToolDescriptor descriptor;
  FakeTool::Record record;
  ToolRegistry registry;
  ToolRuntimeConfig config;
  std::optional<ToolRuntime> runtime;
  std::vector<std::optional<ToolResult>> results;
  std::vector<std::unique_ptr<ToolRun>> runs;
};

TEST_F(GatedCalls, OfOneToolRunSoManyAtOnce) {
  config.gates["query"].concurrency_max = 2;
  for (int i = 0; i < 5; ++i) start("a");
  time.run_for(Milliseconds(1));
  EXPECT_EQ(record.invocations.size(), 2U);
  time.run_for(Milliseconds(1000));
  EXPECT_EQ(done(), 2U);
  EXPECT_EQ(record.invocations.size(), 4U);
  time.run();
  EXPECT_EQ(done(), 5U);
}

TEST_F(GatedCalls, AFullSourceHoldsNobodyElseUp) {
  config.gates["query/busy"].concurrency_max = 1;
  start("busy");
  start("busy");
  start("idle");
  time.run_for(Milliseconds(1));
  EXPECT_EQ(record.invocations.size(), 2U);
  time.run();
  EXPECT_EQ(done(), 3U);
}

TEST_F(GatedCalls, WhoWaitsLongerThanItsTimeIsToldSo) {
  config.gates["query"].calls_per_minute = 1;
  config.retry.max_retries = 3;
  start("a");
  start("a");
  time.run();
  ASSERT_TRUE(results[1]);
  EXPECT_EQ(results[1]->error->type, ToolErrorType::RateLimit);
  EXPECT_EQ(results[1]->error->code, "TOO_MANY_CALLS");
  EXPECT_THAT(results[1]->error->message, HasSubstr("query"));
  EXPECT_EQ(results[1]->telemetry.attempts, 0) << "it never began";
  EXPECT_EQ(record.invocations.size(), 1U);
  EXPECT_LT(results[1]->duration, Milliseconds(11'000)) << "the wait isn't repeated";
}

TEST_F(GatedCalls, ACancelledOneLeavesItsPlace) {
  config.gates["query"].concurrency_max = 1;
  start("a");
  start("a");
  start("a");
  time.run_for(Milliseconds(1));
  runs[1].reset();
  runs[0].reset();
  time.run();
  EXPECT_EQ(record.invocations.size(), 2U);
  EXPECT_TRUE(results[2]);
}

TEST_F(GatedCalls, ARetryWaitsOutsideAndComesAgain) {
  config.gates["query"].concurrency_max = 1;
  record.answers = {FakeTool::failed(ToolErrorType::TransientError), FakeTool::ok("1")};
  start("a");
  start("a");
  time.run();
  EXPECT_EQ(done(), 2U);
  EXPECT_EQ(record.invocations.size(), 3U);
}

}  // namespace
}  // namespace ba
