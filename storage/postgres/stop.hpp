#pragma once
// SPDX-License-Identifier: Apache-2.0
// Tells the storage's threads that it is being destroyed. Owned by the storage; any thread.

#include <condition_variable>
#include <mutex>

#include "pipeline/base/time.hpp"

namespace ba {

class Stop {
 public:
  void request() {
    {
      const std::lock_guard lock(mutex_);
      requested_ = true;
    }
    changed_.notify_all();
  }

  bool requested() const {
    const std::lock_guard lock(mutex_);
    return requested_;
  }

  /// Waits; false when the wait was cut short by request().
  bool pause(Milliseconds duration) const {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, duration, [this] { return requested_; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool requested_ = false;
};

}  // namespace ba
