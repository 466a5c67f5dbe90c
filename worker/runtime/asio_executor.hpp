#pragma once
// SPDX-License-Identifier: Apache-2.0
// The Executor port on one Boost.Asio io_context. run() is the control thread; post() may be called
// by any thread.

#include <memory>

#include "pipeline/port/executor.hpp"

namespace boost::asio {
class io_context;
}

namespace ba {

class AsioExecutor final : public Executor {
 public:
  AsioExecutor();
  ~AsioExecutor() override;

  void post(std::function<void()> task) override;
  std::unique_ptr<Timer> after(Milliseconds delay, std::function<void()> task) override;

  boost::asio::io_context& context();

  /// Runs tasks until finish(); keeps running while there is nothing to do.
  void run();  /// Lets run() return after the tasks that are due now. Whoever calls it has awaited
               /// all work:
  /// waits that are still open are dropped. Any thread.
  void finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ba
