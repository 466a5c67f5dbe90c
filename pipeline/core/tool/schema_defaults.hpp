#pragma once
// SPDX-License-Identifier: Apache-2.0
// Completes arguments with the defaults of their schema, so that a call that leaves one out means
// the same as one that has it. Any thread.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace ba {

/// Of members of objects, also inside arrays (`items`, one schema or one for each place). False
/// when that would add more than `bytes_max` bytes of JSON; the value is then of no use.
[[nodiscard]] bool fill_defaults(const nlohmann::ordered_json& schema,
                                 nlohmann::ordered_json& value, std::int64_t bytes_max);

}  // namespace ba
