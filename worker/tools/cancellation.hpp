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
  int descriptor() const { return descriptor_; }  ///< readable once cancelled

 private:
  std::atomic<bool> cancelled_{false};
  int descriptor_;
};

}  // namespace ba
