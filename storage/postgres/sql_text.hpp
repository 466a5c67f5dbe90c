#pragma once
// SPDX-License-Identifier: Apache-2.0
// SQL put together of parts at compile time, for statements that share some.

#include <algorithm>
#include <array>
#include <cstddef>

namespace ba {

/// The parts one after the other, with a 0 at the end.
template <std::size_t... N>
consteval auto sql_text(const char (&... parts)[N]) {
  std::array<char, ((N - 1) + ...) + 1> text{};
  auto end = text.begin();
  ((end = std::copy_n(parts, N - 1, end)), ...);
  return text;
}

}  // namespace ba
