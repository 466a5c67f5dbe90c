// SPDX-License-Identifier: Apache-2.0
// What AsioExecutor does beyond the contract of an executor: a lane for what can't wait.
#include "worker/runtime/asio_executor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace ba::runtime {
namespace {

using testing::ElementsAre;

class AsioExecutorTest : public ::testing::Test {
 protected:
  /// A task that names itself.
  std::function<void()> task(const std::string& name) {
    return [this, name] { ran_.push_back(name); };
  }

  AsioExecutor executor_;
  std::vector<std::string> ran_;
};

TEST_F(AsioExecutorTest, AnUrgentTaskWaitsForOneTaskAndNotForTheQueue) {
  executor_.post([this] {
    ran_.push_back("first");
    executor_.urgent().post(task("urgent"));
  });
  executor_.post(task("second"));
  executor_.post([this] { executor_.finish(); });
  executor_.run();
  EXPECT_THAT(ran_, ElementsAre("first", "urgent", "second"));
}

TEST_F(AsioExecutorTest, AnUrgentTimerThatIsDueWaitsForOneTaskAndNotForTheQueue) {
  std::unique_ptr<Timer> timer;
  executor_.post([this, &timer] {
    ran_.push_back("first");
    timer = executor_.urgent().after(Milliseconds(1), task("urgent"));
    const auto end = std::chrono::steady_clock::now() + Milliseconds(5);
    while (std::chrono::steady_clock::now() < end) {
    }
  });
  executor_.post(task("second"));
  executor_.post([this] { executor_.finish(); });
  executor_.run();
  EXPECT_THAT(ran_, ElementsAre("first", "urgent", "second"));
}

/// A renewal that was answered while others ran comes before the lease is looked at.
TEST_F(AsioExecutorTest, AnUrgentTaskComesBeforeAnUrgentTimer) {
  const auto timer = executor_.urgent().after(Milliseconds(0), task("timer"));
  executor_.post([this] {
    executor_.urgent().post(task("task"));
    executor_.finish();
  });
  executor_.run();
  EXPECT_THAT(ran_, ElementsAre("task", "timer"));
}

}  // namespace
}  // namespace ba::runtime
