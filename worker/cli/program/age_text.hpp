#pragma once
// SPDX-License-Identifier: Apache-2.0
// Spans of time as a person types them. Pure function.

#include <optional>
#include <string_view>

#include "pipeline/base/time.hpp"

namespace ba {

/// "90s", "30m", "12h", "7d": a whole number and one unit; none for anything else, or more than a
/// hundred years.
std::optional<Milliseconds> parse_age(std::string_view text);

}  // namespace ba
