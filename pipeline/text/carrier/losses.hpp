#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a conversion left behind, counted by kind, so that a long conversation's list stays short.
// A value.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

class Losses {
 public:
  struct Kind {
    std::string what;   ///< "the signature of thinking"
    std::string field;  ///< where first: "messages[3]"
    std::size_t count = 0;

    friend bool operator==(const Kind&, const Kind&) = default;
  };

  static constexpr std::size_t kKindsMax = 50;  ///< those after it are one, "more"

  void add(std::string_view what, const std::string& field);
  void add(const Losses& others);

  bool empty() const { return kinds_.empty(); }
  const std::vector<Kind>& kinds() const { return kinds_; }

 private:
  std::vector<Kind> kinds_;
};

}  // namespace ba
