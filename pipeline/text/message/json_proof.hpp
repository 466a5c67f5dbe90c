#pragma once
// SPDX-License-Identifier: Apache-2.0
// Proves that a text is JSON that everything behind can read and store. Pure function.

#include <optional>
#include <string>
#include <string_view>

namespace ba {

/// Nothing if `text` is one JSON value (RFC 8259) in UTF-8, nested at most `depth_max` deep,
/// without a lone surrogate and without a number beyond the limits of base/decimal.hpp; else what
/// is wrong, and where.
std::optional<std::string> json_problem(std::string_view text, int depth_max);

}  // namespace ba
