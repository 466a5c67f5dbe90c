// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the clauses of one SQL statement begin: its words outside of brackets, quotes and comments.
// A guess for who proves by parsing what was made of it. And what is made of it: the statement in
// an EXPLAIN (explained_statement() of sql_tree.hpp), and the question how many rows a statement
// would change before it changes any. Pure; any thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ba::sql {

struct SqlWord {
  std::string text;  ///< of ASCII letters, in lower case
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Where the comment at `at` ("/*", and those within it) ends.
std::size_t behind_comment(std::string_view sql, std::size_t at);

std::vector<SqlWord> words_outside_brackets(std::string_view sql);

/// A SELECT that counts the rows which an INSERT, UPDATE or DELETE would write, up to `most`; also
/// those that an ON CONFLICT would leave out. It is made of the statement's own words, and parsed
/// to prove that it asks of the same rows; none where that can't be done.
std::optional<std::string> row_count_question(std::string_view sql, int most);

}  // namespace ba::sql
