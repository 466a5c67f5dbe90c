#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every Executor does, asked through a rig that each implementation has.

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "pipeline/core/port/executor.hpp"

namespace ba {

class ExecutorRig {
 public:
  virtual ~ExecutorRig() = default;

  virtual Executor& executor() = 0;

  /// Makes the calling thread the control thread until `reached` holds; false when that takes
  /// longer than any test should.
  virtual bool run_until(const std::function<bool()>& reached) = 0;

  /// Lets time pass on the control thread without running anything.
  virtual void let_pass(Milliseconds span) = 0;
};

struct ExecutorKind {
  const char* name;
  std::unique_ptr<ExecutorRig> (*make)();
};

class ExecutorContract : public testing::TestWithParam<ExecutorKind> {
 protected:
  bool run_until(const std::function<bool()>& reached) { return rig_->run_until(reached); }
  void let_pass(Milliseconds span) { rig_->let_pass(span); }

  std::unique_ptr<ExecutorRig> rig_ = GetParam().make();
  Executor& executor_ = rig_->executor();
};

/// What those of real time do besides; with virtual time there are no other threads.
class ThreadedExecutorContract : public ExecutorContract {};

}  // namespace ba
