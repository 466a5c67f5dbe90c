// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/session_pool.hpp"

#include <pthread.h>

namespace ba::storage {

SessionPool::SessionPool(const std::string& name, int threads, const SessionOptions& options,
                         const Stop& stop) {
  for (int i = 0; i < threads; ++i) {
    SessionOptions own = options;
    own.slot += i;
    threads_.emplace_back([this, own, &stop] { serve(own, stop); });
    const std::string thread_name = threads > 1 ? name + "-" + std::to_string(i) : name;
    pthread_setname_np(threads_.back().native_handle(), thread_name.c_str());
  }
}

void SessionPool::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void SessionPool::submit(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void SessionPool::serve(const SessionOptions& options, const Stop& stop) {
  Session session(options, stop);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task(session);
    lock.lock();
  }
}

}  // namespace ba::storage
