#pragma once
// SPDX-License-Identifier: Apache-2.0
// Names of choices are taken in any case. Any thread.

#include <string>

namespace ba::settings {

/// ASCII letters; all else stays.
inline std::string in_lower_case(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

}  // namespace ba::settings
