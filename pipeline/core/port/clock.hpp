#pragma once
// SPDX-License-Identifier: Apache-2.0
// Time, as a port: the real clock, or a simulation's. Any thread.

#include "pipeline/base/time.hpp"

namespace ba {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual SteadyTime now() const = 0;  ///< for elapsed time and deadlines
  virtual WallTime wall() const = 0;   ///< for records only; may jump
};

}  // namespace ba
