#pragma once
// SPDX-License-Identifier: Apache-2.0
// The control thread, as a port: everything of the core, the driver and the protocols runs on it,
// one task at a time. A simulation runs the same tasks under virtual time.

#include <functional>
#include <memory>

#include "pipeline/base/time.hpp"

namespace ba {

/// A pending timer. Destroying it cancels it: its task does not run after that.
class Timer {
 public:
  virtual ~Timer() = default;
};

class Executor {
 public:
  virtual ~Executor() = default;

  /// Runs `task` later on the control thread. Any thread may call it.
  virtual void post(std::function<void()> task) = 0;

  /// Runs `task` on the control thread once `delay` has passed. Control thread only.
  [[nodiscard]] virtual std::unique_ptr<Timer> after(Milliseconds delay,
                                                     std::function<void()> task) = 0;
};

}  // namespace ba
