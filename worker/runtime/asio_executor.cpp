// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/asio_executor.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace ba::runtime {
namespace {

class AsioTimer final : public Timer {
 public:
  AsioTimer(boost::asio::io_context& context, Milliseconds delay, std::function<void()> task)
      : state_(std::make_shared<State>(context)) {
    state_->timer.expires_after(delay);
    // The handler owns the state: a task may destroy the timer it runs in.
    state_->timer.async_wait(
        [state = state_, task = std::move(task)](const boost::system::error_code& error) {
          if (!error && !state->cancelled) task();
        });
  }

  ~AsioTimer() override {
    state_->cancelled = true;
    state_->timer.cancel();
  }

 private:
  struct State {
    explicit State(boost::asio::io_context& context) : timer(context) {}
    boost::asio::steady_timer timer;
    bool cancelled = false;  ///< a timer that is already due can't be cancelled in Asio
  };
  std::shared_ptr<State> state_;  ///< shared with the pending wait
};

/// Tasks and timers that run_due() runs; the context is only woken for them.
class UrgentLane final : public Executor {
 public:
  explicit UrgentLane(boost::asio::io_context& context) : context_(context) {}

  void post(std::function<void()> task) override {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    boost::asio::post(context_, [] {});
  }

  std::unique_ptr<Timer> after(Milliseconds delay, std::function<void()> task) override {
    auto pending = std::make_shared<std::function<void()>>(std::move(task));
    timers_.emplace(std::chrono::steady_clock::now() + delay, pending);
    return std::make_unique<Pending>(std::move(pending), context_, delay);
  }

  /// Tasks first: the answer that has come extends a lease whose end is due.
  void run_due() {
    std::deque<std::function<void()>> tasks;
    {
      const std::lock_guard lock(mutex_);
      tasks.swap(tasks_);
    }
    for (const auto& task : tasks) task();
    if (timers_.empty()) return;
    const auto now = std::chrono::steady_clock::now();
    while (!timers_.empty() && timers_.begin()->first <= now) {
      const auto due = timers_.extract(timers_.begin());
      if (const auto task = due.mapped().lock()) (*task)();  // which may destroy its timer
    }
  }

 private:
  struct Pending final : Timer {
    Pending(std::shared_ptr<std::function<void()>> owned, boost::asio::io_context& context,
            Milliseconds delay)
        : task(std::move(owned)), wake(context, delay, [] {}) {}
    std::shared_ptr<std::function<void()>> task;  ///< shared with run_due() while it runs
    AsioTimer wake;
  };

  boost::asio::io_context& context_;
  std::mutex mutex_;
  std::deque<std::function<void()>> tasks_;  ///< guarded by mutex_
  std::multimap<std::chrono::steady_clock::time_point, std::weak_ptr<std::function<void()>>>
      timers_;  ///< a destroyed one is passed over when it is due
};

}  // namespace

class AsioExecutor::Impl {
 public:
  boost::asio::io_context context{1};
  UrgentLane urgent{context};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
      context.get_executor()};
};

AsioExecutor::AsioExecutor() : impl_(std::make_unique<Impl>()) {}
AsioExecutor::~AsioExecutor() = default;

void AsioExecutor::post(std::function<void()> task) {
  boost::asio::post(impl_->context, std::move(task));
}

std::unique_ptr<Timer> AsioExecutor::after(Milliseconds delay, std::function<void()> task) {
  return std::make_unique<AsioTimer>(impl_->context, delay, std::move(task));
}

boost::asio::io_context& AsioExecutor::context() { return impl_->context; }

Executor& AsioExecutor::urgent() { return impl_->urgent; }

void AsioExecutor::run() {
  while (run_one(SteadyTime::max())) {
  }
}

bool AsioExecutor::run_one(SteadyTime end) {
  const bool ran =
      end == SteadyTime::max()
          ? impl_->context.run_one() > 0
          : impl_->context.run_one_until(
                std::chrono::time_point_cast<std::chrono::steady_clock::duration>(end)) > 0;
  impl_->urgent.run_due();
  return ran;
}

void AsioExecutor::finish() {
  boost::asio::post(impl_->context, [this] { impl_->context.stop(); });
}

}  // namespace ba::runtime
