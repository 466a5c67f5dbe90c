#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where the clauses of one SQL statement begin: its words outside of brackets, quotes and comments.
// A guess for who proves by parsing what was made of it. Pure; any thread.

#include <string>
#include <string_view>
#include <vector>

namespace ba {

struct SqlWord {
  std::string text;  ///< of ASCII letters, in lower case
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Where the comment at `at` ("/*", and those within it) ends.
std::size_t behind_comment(std::string_view sql, std::size_t at);

std::vector<SqlWord> words_outside_brackets(std::string_view sql);

}  // namespace ba
