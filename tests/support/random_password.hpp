#pragma once
// SPDX-License-Identifier: Apache-2.0
// Passwords of all that a keyboard prints, for tests that look for any part of one in an output.

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

namespace ba {

/// 6 to 20 characters, U+0020 to U+007E, with no space at either end.
inline std::string random_password(std::mt19937& random) {
  std::uniform_int_distribution<int> letter(0x20, 0x7e);
  std::string password(std::uniform_int_distribution<std::size_t>(6, 20)(random), ' ');
  for (char& each : password) each = static_cast<char>(letter(random));
  for (char* end : {&password.front(), &password.back()})
    if (*end == ' ') *end = '.';
  return password;
}

/// Each character that isn't a letter or a digit as %XX.
inline std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= 'a' && letter <= 'z');
    if (plain)
      out += letter;
    else
      ((out += '%') += kDigits[byte >> 4]) += kDigits[byte & 15];
  }
  return out;
}

/// Three characters in a row of the password that stand in the text; empty: none do. What stands in
/// `known`, too, and what could be a piece of any sentence gives nothing away.
inline std::string leaked_part(std::string_view text, std::string_view password,
                               std::string_view known) {
  const auto of_sentences = [](char letter) {
    return (letter >= 'a' && letter <= 'z') ||
           std::string_view(" .,:;-'\"").find(letter) != std::string_view::npos;
  };
  for (std::size_t at = 0; at + 3 <= password.size(); ++at) {
    const std::string_view part = password.substr(at, 3);
    if (std::ranges::all_of(part, of_sentences) || known.find(part) != known.npos) continue;
    if (text.find(part) != text.npos) return std::string(part);
  }
  return "";
}

}  // namespace ba
