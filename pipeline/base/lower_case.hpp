#pragma once
// SPDX-License-Identifier: Apache-2.0
// Words that are taken in any letter case. Pure; any thread.

#include <string>
#include <string_view>

namespace ba {

/// ASCII letters; all else stays.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return lower;
}

}  // namespace ba
