#pragma once
// SPDX-License-Identifier: Apache-2.0
// JSON that is an array, whose items are found without being read: of a large one only what is
// asked for becomes a tree. The text outlives it. Pure; any thread.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"

namespace ba {

class ArrayText {
 public:
  /// None for what isn't a JSON array, or is nested so deeply that it can't be proven here.
  static std::optional<ArrayText> of(std::string_view text);

  std::int64_t size() const { return static_cast<std::int64_t>(items_.size()); }
  /// Every number with its digits.
  nlohmann::ordered_json at(std::int64_t index) const;

 private:
  std::vector<std::string_view> items_;
};

}  // namespace ba
