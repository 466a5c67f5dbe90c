#pragma once
// SPDX-License-Identifier: Apache-2.0
// The way between a worker of a test and a server: each request and each answer takes a while, and
// a request may be lost. All of it is decided by the seed of the virtual executor.

#include <functional>
#include <optional>
#include <utility>

#include "tests/support/virtual_executor.hpp"

namespace ba {

struct NetworkFaults {
  int lost_request_permille = 0;
  Milliseconds delay_max{0};  ///< of each way
  Milliseconds timeout{50};
};

class FakeNetwork {
 public:
  FakeNetwork(VirtualExecutor& world, NetworkFaults faults) : world_(world), faults_(faults) {}

  /// Runs `request` at the server and brings its answer to `answer` on the caller's thread; none
  /// after the time-out when it was lost.
  template <typename R>
  void call(Executor& caller, std::function<R()> request,
            std::function<void(std::optional<R>)> answer) {
    if (lost()) {
      world_.schedule(faults_.timeout, [&caller, answer = std::move(answer)] {
        caller.post([answer] { answer(std::nullopt); });
      });
      return;
    }
    world_.schedule(delay(),
                    [this, &caller, request = std::move(request), answer = std::move(answer)] {
                      world_.schedule(delay(), [&caller, answer, value = request()] {
                        caller.post([answer, value] { answer(value); });
                      });
                    });
  }

  NetworkFaults& faults() { return faults_; }

 private:
  bool lost() {
    return faults_.lost_request_permille > 0 &&
           static_cast<int>(world_.random(1000)) < faults_.lost_request_permille;
  }

  Milliseconds delay() {
    return Milliseconds(world_.random(static_cast<std::uint64_t>(faults_.delay_max.count()) + 1));
  }

  VirtualExecutor& world_;
  NetworkFaults faults_;
};

}  // namespace ba
