#pragma once
// SPDX-License-Identifier: Apache-2.0
// Tells a blocking call on another thread that nobody waits for it any more: a flag to look at and
// a descriptor to poll. Shared by the handle of a run (which cancels) and the thread that works on
// it (which looks). Any thread.

#include <atomic>

namespace ba {

class Cancellation {
 public:
  Cancellation();
  ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  void cancel();
  bool cancelled() const { return cancelled_.load(); }

  /// Readable once cancelled. -1, which poll() passes over, in a process without descriptors left:
  /// then a call ends at its own deadline.
  int descriptor() const { return descriptor_; }

 private:
  std::atomic<bool> cancelled_{false};
  int descriptor_;
};

}  // namespace ba
