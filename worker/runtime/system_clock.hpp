#pragma once
// SPDX-License-Identifier: Apache-2.0
// The real clocks and the real random source behind their ports.

#include <random>

#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/random.hpp"

namespace ba {

class SystemClock final : public Clock {
 public:
  SteadyTime now() const override { return std::chrono::steady_clock::now(); }
  WallTime wall() const override {
    return std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now());
  }
};

/// Seeded from the operating system; not for secrets. Control thread only.
class SystemRandom final : public Random {
 public:
  std::uint64_t next() override { return engine_(); }

 private:
  std::mt19937_64 engine_{std::random_device{}()};
};

}  // namespace ba
