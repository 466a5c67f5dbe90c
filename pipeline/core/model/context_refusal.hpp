#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a provider says when it refuses a request as too long for the model, in the model's own
// tokens. A value.

#include <cstdint>
#include <optional>

namespace ba {

struct ContextRefusal {
  std::optional<std::int64_t> limit;     ///< what the model takes; none: not told
  std::optional<std::int64_t> counted;   ///< what the request had; none: not told
  bool counted_output = false;           ///< `counted` has what the reply may take, too
  std::optional<std::int64_t> output{};  ///< what the reply might have taken; none: not told

  friend bool operator==(const ContextRefusal&, const ContextRefusal&) = default;
};

}  // namespace ba
