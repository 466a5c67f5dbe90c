#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which values a test by chance draws: the same in each run, or others where somebody hunts.

#include <cstdint>
#include <cstdlib>

namespace ba {

/// BA_TEST_SEED where it is set, such as BA_TEST_SEED=$RANDOM; else 1.
inline std::uint64_t test_seed() {
  const char* given = std::getenv("BA_TEST_SEED");
  return given ? std::strtoull(given, nullptr, 10) : 1;
}

}  // namespace ba
