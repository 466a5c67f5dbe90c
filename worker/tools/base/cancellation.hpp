#pragma once
// SPDX-License-Identifier: Apache-2.0
// Tells a blocking call on another thread that nobody waits for it any more: a flag to look at and
// a descriptor to poll. Shared by the handle of a run (which cancels) and the thread that works on
// it (which looks). Any thread.

#include <sys/eventfd.h>

#include <atomic>

#include "worker/tools/base/descriptor.hpp"

namespace ba::tools {

class Cancellation {
 public:
  Cancellation() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void cancel() {
    cancelled_.store(true);
    // Where there is no descriptor, or its count is full, whoever polls looks at the flag in time.
    if (descriptor_.valid()) eventfd_write(descriptor_.get(), 1);
  }
  bool cancelled() const { return cancelled_.load(); }

  /// Readable once cancelled. -1, which poll() passes over, in a process without descriptors left:
  /// then a call ends at its own deadline.
  int descriptor() const { return descriptor_.get(); }

 private:
  std::atomic<bool> cancelled_{false};
  Descriptor descriptor_;
};

}  // namespace ba::tools
