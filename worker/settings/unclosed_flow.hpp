#pragma once
// SPDX-License-Identifier: Apache-2.0
// Why a list or map on one line has no end, or one too many, in words of its own: a parser of YAML
// complains of whatever it expected next. Pure function.

#include <string>
#include <string_view>

namespace ba::settings {

/// "the list isn't closed: a ] is missing" of "[1, 2", "a ] closes no list" of "{a: b]}"; empty:
/// the text is wrong in another way.
std::string unclosed_flow(std::string_view text);

}  // namespace ba::settings
