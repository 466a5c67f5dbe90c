// SPDX-License-Identifier: Apache-2.0
// The worker's executor and those of the tests, each under the contract.
#include <boost/asio/io_context.hpp>

#include "tests/contract/executor/executor_contract.hpp"
#include "tests/simulation/process.hpp"
#include "tests/support/asio_loop.hpp"
#include "tests/support/loop_executor.hpp"
#include "tests/support/virtual_executor.hpp"
#include "worker/runtime/asio_executor.hpp"

namespace ba {
namespace {

constexpr Milliseconds kLimit{60'000};

void pass_real_time(Milliseconds span) {
  const auto end = std::chrono::steady_clock::now() + span;
  while (std::chrono::steady_clock::now() < end) {
  }
}

class AsioRig : public ExecutorRig {
 public:
  Executor& executor() override { return executor_; }
  bool run_until(const std::function<bool()>& reached) override {
    const auto end = std::chrono::steady_clock::now() + kLimit;
    while (!reached())
      if (!executor_.run_one(end)) return reached();
    return true;
  }
  void let_pass(Milliseconds span) override { pass_real_time(span); }

 protected:
  runtime::AsioExecutor executor_;
};

class UrgentRig final : public AsioRig {
 public:
  Executor& executor() override { return executor_.urgent(); }
};

/// Of a loop for tests that runs in real time.
template <typename Loop>
class LoopRig final : public ExecutorRig {
 public:
  Executor& executor() override { return loop_; }
  bool run_until(const std::function<bool()>& reached) override {
    return loop_.run_until(reached, kLimit);
  }
  void let_pass(Milliseconds span) override { pass_real_time(span); }

 private:
  Loop loop_;
};

class VirtualRig final : public ExecutorRig {
 public:
  Executor& executor() override { return executor_; }
  bool run_until(const std::function<bool()>& reached) override {
    return executor_.run_until(reached, kLimit);
  }
  void let_pass(Milliseconds) override {}  // it passes between tasks only

 private:
  VirtualExecutor executor_;
};

class SimulatedProcessRig final : public ExecutorRig {
 public:
  ~SimulatedProcessRig() override { world_.close(); }

  Executor& executor() override { return process_; }
  bool run_until(const std::function<bool()>& reached) override {
    const SteadyTime end = world_.now() + kLimit;
    while (!reached())
      if (world_.now() >= end || !world_.run_one()) return false;
    return true;
  }
  void let_pass(Milliseconds) override {}

 private:
  sim::World world_{1, false};
  sim::Process process_{world_, sim::ProcessTraits{}, [] {}};
};

template <typename Rig>
std::unique_ptr<ExecutorRig> make() {
  return std::make_unique<Rig>();
}

std::string name_of(const testing::TestParamInfo<ExecutorKind>& info) { return info.param.name; }

constexpr ExecutorKind kRealTime[] = {{"AsioExecutor", make<AsioRig>},
                                      {"UrgentLane", make<UrgentRig>},
                                      {"AsioLoop", make<LoopRig<AsioLoop>>},
                                      {"LoopExecutor", make<LoopRig<LoopExecutor>>}};
constexpr ExecutorKind kVirtualTime[] = {{"VirtualExecutor", make<VirtualRig>},
                                         {"SimulatedProcess", make<SimulatedProcessRig>}};

INSTANTIATE_TEST_SUITE_P(RealTime, ExecutorContract, testing::ValuesIn(kRealTime), name_of);
INSTANTIATE_TEST_SUITE_P(RealTime, ThreadedExecutorContract, testing::ValuesIn(kRealTime), name_of);
INSTANTIATE_TEST_SUITE_P(VirtualTime, ExecutorContract, testing::ValuesIn(kVirtualTime), name_of);

}  // namespace
}  // namespace ba
