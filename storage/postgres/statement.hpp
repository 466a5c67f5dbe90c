#pragma once
// SPDX-License-Identifier: Apache-2.0
// SQL with a name; prepared on first use in each session. Constants. Those of more than 15 lines
// are files, <name>.sql beside the .cpp that runs them; <name>.sql.hpp has them as `sql::k<Name>`.

#include <algorithm>
#include <array>
#include <cstddef>

namespace ba::storage {

struct Statement {
  const char* name;
  const char* sql;
};

/// For statements that share parts: these one after the other, with a 0 at the end.
template <std::size_t... N>
consteval auto sql_text(const char (&... parts)[N]) {
  std::array<char, ((N - 1) + ...) + 1> text{};
  auto end = text.begin();
  ((end = std::copy_n(parts, N - 1, end)), ...);
  return text;
}

}  // namespace ba::storage
