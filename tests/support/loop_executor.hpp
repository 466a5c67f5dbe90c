#pragma once
// SPDX-License-Identifier: Apache-2.0
// The control thread of a test that works with real servers: the test's own thread, in run_until().
// post() from any thread; real time.

#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "pipeline/core/port/executor.hpp"

namespace ba {

class LoopExecutor final : public Executor {
 public:
  void post(std::function<void()> task) override { add(Milliseconds(0), std::move(task)); }

  std::unique_ptr<Timer> after(Milliseconds delay, std::function<void()> task) override {
    auto shared = std::make_shared<std::function<void()>>(std::move(task));
    add(delay, [weak = std::weak_ptr(shared)] {
      if (const auto alive = weak.lock()) (*alive)();
    });
    return std::make_unique<Pending>(std::move(shared));
  }

  /// Runs tasks until `reached` holds; false when `limit` passed first.
  bool run_until(const std::function<bool()>& reached, Milliseconds limit = Milliseconds(60000)) {
    const auto end = SteadyClock::now() + limit;
    while (!reached()) {
      if (SteadyClock::now() >= end) return false;
      run_next(end);
    }
    return true;
  }

 private:
  using SteadyClock = std::chrono::steady_clock;
  struct Pending final : Timer {
    explicit Pending(std::shared_ptr<std::function<void()>> held) : task(std::move(held)) {}
    std::shared_ptr<std::function<void()>> task;
  };

  void add(Milliseconds delay, std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    queue_.emplace(std::pair(SteadyClock::now() + delay, ++count_), std::move(task));
    wake_.notify_one();
  }

  /// Waits for the next task, at most until `end` and a little while, and runs it.
  void run_next(SteadyClock::time_point end) {
    std::unique_lock lock(mutex_);
    const auto look_again = std::min(end, SteadyClock::now() + Milliseconds(20));
    const auto due = [this] {
      return !queue_.empty() && queue_.begin()->first.first <= SteadyClock::now();
    };
    while (!due()) {
      if (SteadyClock::now() >= look_again) return;
      wake_.wait_until(
          lock, queue_.empty() ? look_again : std::min(look_again, queue_.begin()->first.first));
    }
    auto node = queue_.extract(queue_.begin());
    lock.unlock();
    node.mapped()();
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::pair<SteadyClock::time_point, std::uint64_t>, std::function<void()>> queue_;
  std::uint64_t count_ = 0;
};

}  // namespace ba
