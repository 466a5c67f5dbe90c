// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/base/blocking_runs.hpp"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace ba::tools {
namespace {

SteadyTime now() { return std::chrono::steady_clock::now(); }

}  // namespace

/// Shared by the handle, the worker thread and the posted answer; `done` belongs to the control
/// thread and is empty once it was called or the handle is gone.
struct BlockingRuns::Job {
  Work work;
  std::function<void(RawToolResult)> done;
  Cancellation cancellation;
};

class BlockingRuns::Handle final : public ToolRun {
 public:
  explicit Handle(std::shared_ptr<Job> job) : job_(std::move(job)) {}
  ~Handle() override {
    if (!std::exchange(job_->done, nullptr)) return;  // it was answered
    job_->cancellation.cancel();
  }
  void keep(std::unique_ptr<Timer> timer) { timer_ = std::move(timer); }

 private:
  std::shared_ptr<Job> job_;
  std::unique_ptr<Timer> timer_;
};

BlockingRuns::BlockingRuns(std::string thread_name, int threads, Executor& executor,
                           Milliseconds relay)
    : executor_(executor), relay_after_(relay), seats_(static_cast<std::size_t>(threads)) {
  thread_name.resize(std::min<std::size_t>(thread_name.size(), 15));  // the kernel's limit
  for (int worker = 0; worker < threads; ++worker) {
    threads_.emplace_back([this, worker] { serve(worker); });
    pthread_setname_np(threads_.back().native_handle(), thread_name.c_str());
  }
}

BlockingRuns::~BlockingRuns() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
  }
  for (Seat& seat : seats_) seat.wake.notify_one();
  for (std::thread& thread : threads_) thread.join();
}

std::unique_ptr<ToolRun> BlockingRuns::start(Work work, std::function<void(RawToolResult)> done,
                                             std::optional<Patience> patience) {
  auto job = std::make_shared<Job>();
  job->work = std::move(work);
  job->done = std::move(done);
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(job);
  }
  call_one(false);
  auto handle = std::make_unique<Handle>(job);
  if (!patience) return handle;
  const auto give_up = [this, job, answer = std::move(patience->answer)] {
    if (!withdraw(job)) return;
    if (const auto done = std::exchange(job->done, nullptr)) done(answer);
  };
  handle->keep(executor_.after(patience->wait_max, give_up));
  return handle;
}

std::size_t BlockingRuns::idle() const {
  const std::lock_guard lock(mutex_);
  return idle_.size();
}

/// For what waits, if anything does; and sees later whether more still does.
void BlockingRuns::call_one(bool beside_others) {
  Seat* called = nullptr;
  std::size_t left = 0;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() || idle_.empty()) return;  // those at work take what comes
    left = waiting_.size();
    if (beside_others || idle_.size() == seats_.size() || now() - taken_at_ > relay_after_) {
      called = idle_.back();
      idle_.pop_back();
      called->called = true;
      taken_at_ = now();
      --left;
    }
  }
  if (called) called->wake.notify_one();
  if (left > 0 && !relay_) relay_ = executor_.after(relay_after_, [this] { relay(); });
}

void BlockingRuns::relay() {
  relay_.reset();
  call_one(true);
}

/// Whether it still waited; it never begins then.
bool BlockingRuns::withdraw(const std::shared_ptr<Job>& job) {
  const std::lock_guard lock(mutex_);
  return std::erase(waiting_, job) > 0;
}

void BlockingRuns::serve(int worker) {
  Seat& seat = seats_[static_cast<std::size_t>(worker)];
  Descriptor spare;  // of the last call, for the next one
  bool has_worked = false;
  while (const std::shared_ptr<Job> job = next(seat, has_worked)) {
    has_worked = !job->cancellation.cancelled();
    if (!has_worked) continue;
    job->cancellation.lend(std::move(spare));
    perform(worker, job);
    spare = job->cancellation.take_back();
  }
}

/// Waits for one; null: no more are begun. What it was called for, a thread that became free may
/// have taken meanwhile.
std::shared_ptr<BlockingRuns::Job> BlockingRuns::next(Seat& seat, bool has_worked) {
  std::unique_lock lock(mutex_);
  while (!stopping_ && waiting_.empty()) {
    seat.called = false;
    idle_.insert(std::exchange(has_worked, false) ? idle_.end() : idle_.begin(), &seat);
    seat.wake.wait(lock, [&] { return stopping_ || seat.called; });
  }
  if (stopping_) return nullptr;
  std::shared_ptr<Job> job = std::move(waiting_.front());
  waiting_.pop_front();
  taken_at_ = now();
  return job;
}

void BlockingRuns::perform(int worker, const std::shared_ptr<Job>& job) {
  bool answered = false;
  const Answer answer = [&](RawToolResult result) {
    answered = true;
    executor_.post([job, result = std::move(result)]() mutable {
      if (const auto done = std::exchange(job->done, nullptr)) done(std::move(result));
    });
  };
  try {
    job->work(worker, job->cancellation, answer);
    if (!answered) answer(threw(std::logic_error("the tool gave no answer")));
  } catch (const std::exception& error) {
    if (!answered) answer(threw(error));
  }
}

}  // namespace ba::tools
