#pragma once
// SPDX-License-Identifier: Apache-2.0
// UTF-8 as it should be (RFC 3629). Pure functions.

#include <string>
#include <string_view>

namespace ba {

bool is_well_formed(std::string_view text);

/// U+FFFD for each longest beginning of a character that isn't one (Unicode 16, section 3.9.6,
/// "substitution of maximal subparts").
std::string well_formed(std::string_view text);

}  // namespace ba
