#pragma once
// SPDX-License-Identifier: Apache-2.0
// Chance that is the same for a seed on every machine. One thread.

#include <cstdint>
#include <string>
#include <vector>

namespace ba::hunt {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  /// Below `n`, which is not 0 (splitmix64).
  std::size_t below(std::size_t n) {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<std::size_t>((z ^ (z >> 31)) % n);
  }
  bool one_in(std::size_t n) { return below(n) == 0; }

  template <class T>
  const T& of(const std::vector<T>& choice) {
    return choice[below(choice.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace ba::hunt
