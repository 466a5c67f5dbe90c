#pragma once
// SPDX-License-Identifier: Apache-2.0
// The control thread and the clock of a test: tasks run in order of virtual time, and those due at
// the same moment in an order the seed decides (seed 0: the order they came). One thread only.

#include <map>
#include <random>
#include <utility>

#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"

namespace ba {

class VirtualExecutor final : public Executor, public Clock {
 public:
  explicit VirtualExecutor(std::uint64_t seed = 0) : random_(seed), shuffled_(seed != 0) {}

  void post(std::function<void()> task) override { schedule(Milliseconds(0), std::move(task)); }

  std::unique_ptr<Timer> after(Milliseconds delay, std::function<void()> task) override {
    return std::make_unique<Pending>(*this, schedule(delay, std::move(task)));
  }

  SteadyTime now() const override { return now_; }
  WallTime wall() const override {
    return WallTime(std::chrono::duration_cast<Microseconds>(now_.time_since_epoch()));
  }

  using Key = std::tuple<SteadyTime, std::uint64_t, std::uint64_t>;

  Key schedule(Milliseconds delay, std::function<void()> task) {
    const std::uint64_t tie = shuffled_ ? random_() : 0;
    const Key key{now_ + delay, tie, ++count_};
    queue_.emplace(key, std::move(task));
    return key;
  }

  /// Runs the next task; false when there is none.
  bool run_one() {
    if (queue_.empty()) return false;
    auto node = queue_.extract(queue_.begin());
    now_ = std::get<0>(node.key());
    node.mapped()();
    return true;
  }

  /// Runs until nothing is left to do.
  void run() {
    while (run_one()) {
    }
  }

  /// Tasks and timers that have not run.
  std::size_t pending() const { return queue_.size(); }

  /// Runs what is due within `span`; the clock then stands at its end.
  void run_for(Milliseconds span) {
    const SteadyTime end = now_ + span;
    while (!queue_.empty() && std::get<0>(queue_.begin()->first) <= end) run_one();
    now_ = end;
  }

  /// Runs until `reached` holds; false when `limit` of virtual time passed first,
  /// at whose end the clock then stands.
  bool run_until(const std::function<bool()>& reached, Milliseconds limit) {
    const SteadyTime end = now_ + limit;
    while (!reached()) {
      if (queue_.empty() || std::get<0>(queue_.begin()->first) > end) {
        now_ = end;
        return false;
      }
      run_one();
    }
    return true;
  }

  std::uint64_t random(std::uint64_t below) { return random_() % below; }

 private:
  class Pending final : public Timer {
   public:
    Pending(VirtualExecutor& executor, Key key) : executor_(executor), key_(key) {}
    ~Pending() override { executor_.queue_.erase(key_); }

   private:
    VirtualExecutor& executor_;
    Key key_;
  };

  std::map<Key, std::function<void()>> queue_;
  std::mt19937_64 random_;
  bool shuffled_;
  std::uint64_t count_ = 0;
  SteadyTime now_{};
};

}  // namespace ba
