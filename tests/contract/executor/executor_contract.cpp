// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/executor/executor_contract.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>
#include <vector>

namespace ba {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST_P(ExecutorContract, RunsTasksInTheOrderTheyWerePosted) {
  std::vector<int> ran;
  for (const int n : {1, 2, 3}) executor_.post([&ran, n] { ran.push_back(n); });
  ASSERT_TRUE(run_until([&] { return ran.size() == 3; }));
  EXPECT_THAT(ran, ElementsAre(1, 2, 3));
}

TEST_P(ExecutorContract, NothingRunsInsideTheCallThatAsksForIt) {
  std::vector<int> ran;
  std::unique_ptr<Timer> timer;
  executor_.post([&] {
    executor_.post([&] { ran.push_back(2); });
    timer = executor_.after(0ms, [&] { ran.push_back(3); });
    ran.push_back(1);
  });
  EXPECT_TRUE(ran.empty());
  ASSERT_TRUE(run_until([&] { return ran.size() == 3; }));
  EXPECT_EQ(ran.front(), 1);
}

TEST_P(ExecutorContract, TimersRunInOrderOfTheirTime) {
  std::vector<int> ran;
  const auto late = executor_.after(500ms, [&] { ran.push_back(500); });
  const auto soon = executor_.after(5ms, [&] { ran.push_back(5); });
  ASSERT_TRUE(run_until([&] { return ran.size() == 2; }));
  EXPECT_THAT(ran, ElementsAre(5, 500));
}

TEST_P(ExecutorContract, ATimerRunsOnce) {
  int ran = 0;
  bool over = false;
  const auto timer = executor_.after(1ms, [&] { ++ran; });
  const auto later = executor_.after(10ms, [&] { over = true; });
  ASSERT_TRUE(run_until([&] { return over; }));
  EXPECT_EQ(ran, 1);
}

TEST_P(ExecutorContract, ADestroyedTimerDoesNotRun) {
  bool ran = false;
  bool over = false;
  auto timer = executor_.after(1ms, [&] { ran = true; });
  const auto later = executor_.after(10ms, [&] { over = true; });
  timer.reset();
  ASSERT_TRUE(run_until([&] { return over; }));
  EXPECT_FALSE(ran);
}

TEST_P(ExecutorContract, ATimerThatIsDueAndDestroyedDoesNotRun) {
  bool ran = false;
  bool over = false;
  std::unique_ptr<Timer> first;
  std::unique_ptr<Timer> second;
  std::unique_ptr<Timer> last;
  executor_.post([&] {
    first = executor_.after(1ms, [&] { second.reset(); });
    second = executor_.after(2ms, [&] { ran = true; });
    last = executor_.after(3ms, [&] { over = true; });
    let_pass(5ms);  // all three are due before the first runs
  });
  ASSERT_TRUE(run_until([&] { return over; }));
  EXPECT_FALSE(ran);
}

TEST_P(ExecutorContract, ATaskMayDestroyTheTimerItRunsIn) {
  std::unique_ptr<Timer> timer;
  int seen = 0;
  timer = executor_.after(1ms, [&, kept = std::make_shared<int>(7)] {
    timer.reset();
    seen = *kept;  // what the task holds outlives the timer
  });
  ASSERT_TRUE(run_until([&] { return seen != 0; }));
  EXPECT_EQ(seen, 7);
}

TEST_P(ThreadedExecutorContract, OtherThreadsMayPost) {
  int ran = 0;  // written by the control thread only
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) executor_.post([&] { ++ran; });
    });
  EXPECT_TRUE(run_until([&] { return ran == 400; }));
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ba
