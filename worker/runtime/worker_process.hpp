#pragma once
// SPDX-License-Identifier: Apache-2.0
// All parts of one worker process in the order of their making, and the loop that lives one
// incarnation after another. build() and run() are called once, on the main thread, which then is
// the control thread.

#include <memory>

#include "worker/runtime/run_worker.hpp"

namespace ba {

enum class LifeEnd;

class StructuredLog;

class WorkerProcess final {
 public:
  WorkerProcess(const LoadedConfig& loaded, const Decorators& decorators, StructuredLog& log);
  ~WorkerProcess();

  /// Makes every part; waits for a database or broker that is out of reach. The
  /// endpoints come first: a probe finds a worker that waits alive, and not ready. SIGTERM or
  /// SIGINT ends the process meanwhile.
  Result<void> build();

  /// Returns once the worker has drained.
  void run();

 private:
  struct Parts;
  Result<void> serve_endpoints();
  Result<void> build_storage();
  Result<void> check_topics();
  Result<void> build_tools_and_agents();
  Result<void> build_models();
  Result<void> build_observers();
  Result<void> build_incarnation_parts();
  void begin_life();
  void life_ended(LifeEnd end);
  void on_signal();
  void await_hangup();
  void tick();
  void finish();

  std::unique_ptr<Parts> parts_;
};

}  // namespace ba
