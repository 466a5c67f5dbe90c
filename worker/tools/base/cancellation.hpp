#pragma once
// SPDX-License-Identifier: Apache-2.0
// Tells a blocking call on another thread that nobody waits for it any more: a flag to look at and
// a descriptor to poll, which is there once somebody polls. Shared by the handle of a run (which
// cancels) and the thread that works on it (which looks). Any thread.

#include <sys/eventfd.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "worker/tools/base/descriptor.hpp"

namespace ba::tools {

class Cancellation {
 public:
  void cancel() {
    const std::lock_guard lock(mutex_);
    cancelled_.store(true);
    // Where there is no descriptor, or its count is full, whoever polls looks at the flag in time.
    if (descriptor_.valid()) eventfd_write(descriptor_.get(), 1);
  }
  bool cancelled() const { return cancelled_.load(); }

  /// Readable once cancelled; the same until take_back(). -1, which poll() passes over, in a
  /// process without descriptors left: then a call ends at its own deadline.
  int descriptor() const {
    const std::lock_guard lock(mutex_);
    if (!descriptor_.valid())
      descriptor_ = Descriptor(eventfd(cancelled_.load() ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK));
    return descriptor_.get();
  }

  /// A descriptor that take_back() gave, of an earlier call: none is made for this one. Before
  /// descriptor() is asked for.
  void lend(Descriptor unused) {
    const std::lock_guard lock(mutex_);
    descriptor_ = std::move(unused);
    if (cancelled_.load() && descriptor_.valid()) eventfd_write(descriptor_.get(), 1);
  }

  /// Of a call that has ended: its descriptor, for the next one. None where it was cancelled.
  Descriptor take_back() {
    const std::lock_guard lock(mutex_);
    Descriptor unused = std::move(descriptor_);
    return cancelled_.load() ? Descriptor() : std::move(unused);
  }

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> cancelled_{false};
  mutable Descriptor descriptor_;  ///< guarded by mutex_
};

}  // namespace ba::tools
