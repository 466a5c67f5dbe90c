#pragma once
// SPDX-License-Identifier: Apache-2.0
// Bytes of a digest as people read them.

#include <span>
#include <string>
#include <string_view>

namespace ba {

/// Two lower-case digits a byte.
inline std::string hex_of(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

}  // namespace ba
