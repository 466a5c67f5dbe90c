// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/asio_executor.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace ba {
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

}  // namespace

class AsioExecutor::Impl {
 public:
  boost::asio::io_context context{1};
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

void AsioExecutor::run() { impl_->context.run(); }

void AsioExecutor::finish() {
  boost::asio::post(impl_->context, [this] { impl_->context.stop(); });
}

}  // namespace ba
