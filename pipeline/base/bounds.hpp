#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a whole number may be, both ends included. A setting's bounds stand where its section
// is read, and nowhere else. Values.

#include <cstdint>
#include <string>

namespace ba {

struct Bounds {
  std::int64_t least = 0;
  std::int64_t most = 0;

  constexpr bool hold(std::int64_t value) const { return value >= least && value <= most; }

  /// "between 1 and 100", for messages.
  std::string text() const {
    return "between " + std::to_string(least) + " and " + std::to_string(most);
  }
};

}  // namespace ba
