#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which of many like troubles are told: the first at once, then one in a while with how many there
// were since. Two are alike that differ in numbers only (a shard, a port, a duration). A value; one
// thread.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/time.hpp"

namespace ba {

class Repeats {
 public:
  explicit Repeats(Milliseconds quiet) : quiet_(quiet) {}

  /// Tell it? Then the value is how many like it were kept quiet since the last that was told.
  std::optional<std::int64_t> tell(std::string_view trouble, SteadyTime now);

 private:
  static constexpr std::size_t kKindsMax = 200;  ///< beyond it, all are forgotten and told anew

  struct Told {
    SteadyTime at;
    std::int64_t quiet = 0;
  };

  Milliseconds quiet_;
  std::map<std::string, Told> told_;  ///< by the text without its numbers
};

}  // namespace ba
