#pragma once
// SPDX-License-Identifier: Apache-2.0
// The one source of chance of a history (SplitMix64): the same seed, the same history. A value.

#include <cstdint>

#include "pipeline/core/port/random.hpp"

namespace ba::sim {

class Dice final : public Random {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() override {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// From 0 to `count` - 1; 0 when there is nothing to choose from.
  std::int64_t below(std::int64_t count) {
    return count <= 1 ? 0 : static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(count));
  }

  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + below(most - least + 1);
  }

  bool hit(int permille) { return permille > 0 && below(1000) < permille; }

 private:
  std::uint64_t state_;
};

}  // namespace ba::sim
