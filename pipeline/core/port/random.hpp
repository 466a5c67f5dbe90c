#pragma once
// SPDX-License-Identifier: Apache-2.0
// Randomness, as a port: for jitter and for names that must not collide. Control thread.

#include <cstdint>

namespace ba {

class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;  ///< uniform over all 64-bit values
};

}  // namespace ba
