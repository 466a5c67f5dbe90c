#pragma once
// SPDX-License-Identifier: Apache-2.0
// The way between a worker of a test and a server: each request and each answer takes a while and
// may be lost; a lost request may still arrive, long after the caller gave up. All of it is decided
// by the seed of the virtual executor.

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/virtual_executor.hpp"

namespace ba {

struct NetworkFaults {
  int lost_request_permille = 0;
  int lost_answer_permille = 0;
  int late_request_permille = 0;  ///< the caller gives up; the request arrives afterwards
  Milliseconds delay_max{0};      ///< of each way
  Milliseconds timeout{50};
  Milliseconds late_max{400};
};

/// The control thread of one worker, which may be paused (its tasks wait) or crash (they are gone).
class WorkerThread final : public Executor {
 public:
  explicit WorkerThread(VirtualExecutor& world) : world_(world) {}

  void post(std::function<void()> task) override { world_.post(gated(std::move(task))); }
  std::unique_ptr<Timer> after(Milliseconds delay, std::function<void()> task) override {
    auto shared = std::make_shared<std::function<void()>>(std::move(task));
    world_.schedule(delay, gated([weak = std::weak_ptr(shared)] {
                      if (const auto alive = weak.lock()) (*alive)();
                    }));
    return std::make_unique<Pending>(std::move(shared));
  }

  void pause() { state_->paused = true; }
  void resume() {
    state_->paused = false;
    for (auto& task : std::exchange(state_->waiting, {})) post(std::move(task));
  }
  void crash() { state_->crashed = true; }

 private:
  struct State {
    bool paused = false;
    bool crashed = false;
    std::vector<std::function<void()>> waiting;
  };
  struct Pending final : Timer {
    explicit Pending(std::shared_ptr<std::function<void()>> held) : task(std::move(held)) {}
    std::shared_ptr<std::function<void()>> task;
  };

  std::function<void()> gated(std::function<void()> task) {
    return [state = state_, task = std::move(task)] {
      if (state->crashed) return;
      if (state->paused) return state->waiting.push_back(task);
      task();
    };
  }

  VirtualExecutor& world_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

class FakeNetwork {
 public:
  FakeNetwork(VirtualExecutor& world, NetworkFaults faults) : world_(world), faults_(faults) {}

  /// Runs `request` at the server and brings its answer to `answer` on the caller's thread; none
  /// after the time-out when something was lost.
  template <typename R>
  void call(Executor& caller, std::function<R()> request,
            std::function<void(std::optional<R>)> answer) {
    if (hit(faults_.lost_request_permille)) return give_up<R>(caller, std::move(answer));
    if (hit(faults_.late_request_permille)) {
      deliver_late([request = std::move(request)] { request(); });
      return give_up<R>(caller, std::move(answer));
    }
    const bool lost = hit(faults_.lost_answer_permille);
    world_.schedule(
        delay(), [this, lost, &caller, request = std::move(request), answer = std::move(answer)] {
          R value = request();
          if (lost) return give_up<R>(caller, answer);
          world_.schedule(delay(), [&caller, answer, value = std::move(value)] {
            caller.post([answer, value] { answer(value); });
          });
        });
  }

  /// A copy of a request that wanders about and arrives some time later.
  void deliver_late(std::function<void()> request) {
    world_.schedule(Milliseconds(1 + world_.random(faults_.late_max.count())), std::move(request));
  }

  bool hit(int permille) {
    return permille > 0 && static_cast<int>(world_.random(1000)) < permille;
  }

  NetworkFaults& faults() { return faults_; }

 private:
  template <typename R>
  void give_up(Executor& caller, std::function<void(std::optional<R>)> answer) {
    world_.schedule(faults_.timeout, [&caller, answer = std::move(answer)] {
      caller.post([answer] { answer(std::nullopt); });
    });
  }

  Milliseconds delay() {
    return Milliseconds(world_.random(static_cast<std::uint64_t>(faults_.delay_max.count()) + 1));
  }

  VirtualExecutor& world_;
  NetworkFaults faults_;
};

}  // namespace ba
