#pragma once
// SPDX-License-Identifier: Apache-2.0
// The control thread of a test on real sockets: an Asio loop that the test's own thread runs until
// something has happened.

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"

namespace ba {

class AsioLoop final : public Executor, public Clock {
 public:
  void post(std::function<void()> task) override { boost::asio::post(io, std::move(task)); }

  std::unique_ptr<Timer> after(Milliseconds delay, std::function<void()> task) override {
    auto shared = std::make_shared<Pending>(io, std::move(task));
    shared->timer.expires_after(delay);
    shared->timer.async_wait([shared](const boost::system::error_code& error) {
      if (!error && !shared->cancelled) shared->task();
    });
    return std::make_unique<Handle>(std::move(shared));
  }

  SteadyTime now() const override { return std::chrono::steady_clock::now(); }
  WallTime wall() const override {
    return std::chrono::time_point_cast<Microseconds>(std::chrono::system_clock::now());
  }

  /// Runs until `reached` holds; false when `limit` passed first.
  bool run_until(const std::function<bool()>& reached,
                 Milliseconds limit = std::chrono::seconds(60)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!reached())
      if (io.run_one_until(end) == 0) return reached();
    return true;
  }

  /// What `ask` returns, which blocks on a thread of its own while this loop serves it.
  template <typename Ask>
  auto serve_while(Ask ask) {
    std::optional<decltype(ask())> answer;
    std::thread asker(
        [&] { post([&answer, got = ask()]() mutable { answer.emplace(std::move(got)); }); });
    run_until([&answer] { return answer.has_value(); });
    asker.join();
    return answer;
  }

  boost::asio::io_context io{1};

 private:
  struct Pending {
    Pending(boost::asio::io_context& context, std::function<void()> what)
        : timer(context), task(std::move(what)) {}
    boost::asio::steady_timer timer;
    std::function<void()> task;
    bool cancelled = false;
  };
  struct Handle final : Timer {
    explicit Handle(std::shared_ptr<Pending> held) : pending(std::move(held)) {}
    ~Handle() override {
      pending->cancelled = true;
      pending->timer.cancel();
    }
    std::shared_ptr<Pending> pending;
  };

  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io.get_executor()};
};

}  // namespace ba
