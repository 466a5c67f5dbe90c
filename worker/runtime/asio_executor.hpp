#pragma once
// SPDX-License-Identifier: Apache-2.0
// The Executor port on one Boost.Asio io_context. run() is the control thread; post() may be called
// by any thread. What keeps the lease goes through urgent(): it waits for the one task that runs,
// never for the queue, so that much work of many jobs can't make a living worker lose its lease.

#include <memory>

#include "pipeline/core/port/executor.hpp"

namespace boost::asio {
class io_context;
}

namespace ba::runtime {

class AsioExecutor final : public Executor {
 public:
  AsioExecutor();
  ~AsioExecutor() override;

  void post(std::function<void()> task) override;
  std::unique_ptr<Timer> after(Milliseconds delay, std::function<void()> task) override;

  boost::asio::io_context& context();

  /// The same thread; its tasks and timers run before all others that are due.
  Executor& urgent();

  /// Runs tasks until finish(); keeps running while there is nothing to do.
  void run();

  /// One task or event, and then what is urgent; waits for it until `end`. False when there was
  /// none, or finish() was called.
  bool run_one(SteadyTime end);

  /// Lets run() return after the tasks that are due now. Whoever calls it has awaited all work:
  /// waits that are still open are dropped. Any thread.
  void finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ba::runtime
