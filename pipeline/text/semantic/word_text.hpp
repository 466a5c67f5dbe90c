#pragma once
// SPDX-License-Identifier: Apache-2.0
// What kinds of characters a word is made of (Unicode). Pure; any thread.

#include <string_view>

namespace ba {

/// Letters and digits of any script, and hyphens. False for text that is no UTF-8.
bool only_letters_digits_hyphens(std::string_view text);

/// No letter of it has another lower case.
bool is_lower_case(std::string_view text);

}  // namespace ba
