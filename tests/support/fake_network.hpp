#pragma once
// SPDX-License-Identifier: Apache-2.0
// The way between a worker of a test and a server: each request and each answer takes a while, and
// either may be lost. All of it is decided by the seed of the virtual executor.

#include <functional>
#include <optional>
#include <utility>

#include "tests/support/virtual_executor.hpp"

namespace ba {

struct NetworkFaults {
  int lost_request_permille = 0;
  int lost_answer_permille = 0;  ///< of a request that comes up to twice the time-out late
  Milliseconds delay_max{0};     ///< of each way
  Milliseconds timeout{50};
};

class FakeNetwork {
 public:
  FakeNetwork(VirtualExecutor& world, NetworkFaults faults) : world_(world), faults_(faults) {}

  /// Runs `request` at the server and brings its answer to `answer` on the caller's thread; none
  /// after the time-out when one of them was lost.
  template <typename R>
  void call(Executor& caller, std::function<R()> request,
            std::function<void(std::optional<R>)> answer) {
    const bool late = hit(faults_.lost_answer_permille);
    if (late)
      world_.schedule(random_up_to(3 * faults_.timeout),
                      [request = std::move(request)] { request(); });
    if (late || hit(faults_.lost_request_permille)) {
      world_.schedule(faults_.timeout, [&caller, answer = std::move(answer)] {
        caller.post([answer] { answer(std::nullopt); });
      });
      return;
    }
    world_.schedule(random_up_to(faults_.delay_max), [this, &caller, request = std::move(request),
                                                      answer = std::move(answer)] {
      world_.schedule(random_up_to(faults_.delay_max), [&caller, answer, value = request()] {
        caller.post([answer, value] { answer(value); });
      });
    });
  }

  NetworkFaults& faults() { return faults_; }

 private:
  bool hit(int permille) {
    return permille > 0 && static_cast<int>(world_.random(1000)) < permille;
  }

  Milliseconds random_up_to(Milliseconds most) {
    return Milliseconds(world_.random(static_cast<std::uint64_t>(most.count()) + 1));
  }

  VirtualExecutor& world_;
  NetworkFaults faults_;
};

}  // namespace ba
