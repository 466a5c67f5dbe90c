#pragma once
// SPDX-License-Identifier: Apache-2.0
// Numbers as JSON, the shortest form that reads back the same. Pure.

#include <array>
#include <charconv>
#include <string>

namespace ba {

template <typename Number>
void append_json_number(std::string& out, Number number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

}  // namespace ba
