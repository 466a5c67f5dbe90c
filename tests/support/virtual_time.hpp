#pragma once
// SPDX-License-Identifier: Apache-2.0
// The control thread and the clock of a unit test: tasks run when the test says so, and time passes
// only from one timer to the next. One thread only.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "pipeline/port/clock.hpp"
#include "pipeline/port/executor.hpp"
#include "pipeline/port/random.hpp"

namespace ba {

class VirtualTime final : public Executor, public Clock {
 public:
  void post(std::function<void()> task) override { ready_.push_back(std::move(task)); }

  std::unique_ptr<Timer> after(Milliseconds delay, std::function<void()> task) override {
    const Key key{now_ + delay, next_number_++};
    timers_.emplace(key, std::move(task));
    return std::make_unique<VirtualTimer>(*this, key);
  }

  SteadyTime now() const override { return now_; }
  WallTime wall() const override {
    return WallTime(std::chrono::duration_cast<Microseconds>(now_.time_since_epoch()));
  }

  /// Runs the next task, or moves time to the next timer and runs it. False: nothing is left.
  bool step() {
    if (!ready_.empty()) {
      const auto task = std::move(ready_.front());
      ready_.pop_front();
      task();
      return true;
    }
    if (timers_.empty()) return false;
    auto next = timers_.extract(timers_.begin());
    now_ = std::max(now_, next.key().first);
    next.mapped()();
    return true;
  }

  /// Runs until nothing is left to do.
  void run() {
    while (step()) {
    }
  }

  void pass(Milliseconds time) { now_ += time; }
  std::size_t timers() const { return timers_.size(); }

 private:
  using Key = std::pair<SteadyTime, std::uint64_t>;

  class VirtualTimer final : public Timer {
   public:
    VirtualTimer(VirtualTime& time, Key key) : time_(time), key_(key) {}
    ~VirtualTimer() override { time_.timers_.erase(key_); }

   private:
    VirtualTime& time_;
    Key key_;
  };

  SteadyTime now_{};
  std::uint64_t next_number_ = 0;
  std::deque<std::function<void()>> ready_;
  std::map<Key, std::function<void()>> timers_;
};

/// Always the same value; the default is the middle, so that jitter adds nothing.
class FixedRandom final : public Random {
 public:
  explicit FixedRandom(std::uint64_t value = std::uint64_t{1} << 63) : value_(value) {}
  std::uint64_t next() override { return value_; }

 private:
  std::uint64_t value_;
};

}  // namespace ba
