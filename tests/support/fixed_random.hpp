#pragma once
// SPDX-License-Identifier: Apache-2.0
// Randomness of a test: always the same value; the default is the middle, so that jitter adds
// nothing.

#include <cstdint>

#include "pipeline/core/port/random.hpp"

namespace ba {

class FixedRandom final : public Random {
 public:
  explicit FixedRandom(std::uint64_t value = std::uint64_t{1} << 63) : value_(value) {}
  std::uint64_t next() override { return value_; }

 private:
  std::uint64_t value_;
};

}  // namespace ba
