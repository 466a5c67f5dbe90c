#pragma once
// SPDX-License-Identifier: Apache-2.0
// One worker process: makes its parts and lives one incarnation after another. build() and run()
// are called once, on the main thread, which then is the control thread.

#include <memory>

#include "worker/runtime/run_worker.hpp"

namespace ba {

enum class LifeEnd;

class StructuredLog;
class WorkerParts;

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
  struct Running;
  void begin_life();
  void life_ended(LifeEnd end);
  void on_signal();
  void await_hangup();
  void tick();
  void finish();

  std::unique_ptr<WorkerParts> parts_;
  std::unique_ptr<Running> running_;
};

}  // namespace ba
