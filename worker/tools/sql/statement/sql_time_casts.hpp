#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a statement's casts make dates and times of, as far as its text shows it: PostgreSQL reads
// 'now' and 'today' when it reads a date. A text that is put together may spell such a word, and so
// may a column of texts; which type a column has, only the catalog knows. Pure; any thread.

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

namespace ba {

struct SqlTimeCasts {
  std::optional<std::string> reason;  ///< why the result may mean the time, whatever the types are
  /// Names that become a date or time by a cast, or a part of one: of columns, where they are any.
  std::set<std::string> columns;
  /// Those of them that nothing in the statement defines: of a table, or of what only the server
  /// knows.
  std::set<std::string> outside;
};

/// `body`: of a parsed statement.
SqlTimeCasts time_casts(const nlohmann::json& body);

}  // namespace ba
