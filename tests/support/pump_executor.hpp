#pragma once
// SPDX-License-Identifier: Apache-2.0
// The control thread of a test that talks to real servers: other threads post, the test's thread
// runs what was posted until a condition holds or a deadline passes. Timers are for virtual time
// only and not offered.

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "pipeline/base/assert.hpp"
#include "pipeline/port/executor.hpp"

namespace ba {

class PumpExecutor final : public Executor {
 public:
  void post(std::function<void()> task) override {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

  std::unique_ptr<Timer> after(Milliseconds, std::function<void()>) override {
    BA_ASSERT(!"no timers here");
    return nullptr;
  }

  /// Runs tasks until `condition` holds; false when `limit` passed first.
  bool run_until(const std::function<bool()>& condition,
                 Milliseconds limit = std::chrono::seconds(30)) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
      std::unique_lock lock(mutex_);
      if (!changed_.wait_until(lock, deadline, [this] { return !tasks_.empty(); })) return false;
      const auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
};

}  // namespace ba
