#pragma once
// SPDX-License-Identifier: Apache-2.0
// A text as the parse tree of exactly one statement, within limits: to be walked (ReadStatement),
// or to be changed and compared (SqlStatement). The only place that calls libpg_query. Pure; any
// thread.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "pipeline/base/error.hpp"
#include "worker/tools/sql/statement/syntax_tree.hpp"

namespace ba::sql {

inline constexpr int kParserMajor = 15;  ///< PostgreSQL version of libpg_query

struct GuardLimits {
  std::size_t bytes_max = 64 * 1024;
  int depth_max = 1000;  ///< of the parse tree; about two levels for each pair of parentheses
};

/// The one statement of a text: "SelectStmt" and the fields of its node.
struct SqlStatement {
  std::string node;
  nlohmann::json body;
};

/// The same, to be walked only.
class ReadStatement {
 public:
  /// A tree that has exactly one statement.
  explicit ReadStatement(SyntaxTree tree) : tree_(std::move(tree)) {}

  std::string_view node() const { return body().key(); }
  SyntaxTree::Value body() const;

 private:
  SyntaxTree tree_;
};

/// InvalidArgument (detail SQL_SYNTAX, SQL_TOO_LONG, SQL_TOO_DEEP,
/// SQL_NOT_ONE_STATEMENT) with a message for a model.
Result<SqlStatement> parse_statement(std::string_view sql, const GuardLimits& limits);
Result<ReadStatement> read_statement(std::string_view sql, const GuardLimits& limits);

/// A member of an object; null: it has none, or isn't one.
const nlohmann::json* json_member(const nlohmann::json& body, const char* name);

/// Of a String node; empty: it is none.
std::string name_in(const nlohmann::json& node);

/// The last part of a list of String nodes; empty where it has none.
std::string last_name(const nlohmann::json& list);

/// Takes out where things stand in the text.
void strip_locations(nlohmann::json& tree);

/// Of a text that is one EXPLAIN: the statement in it. InvalidArgument where it can't be told.
Result<std::string> explained_statement(std::string_view sql, const GuardLimits& limits);

/// PermissionDenied, detail SQL_NOT_ALLOWED.
Error sql_not_allowed(std::string message);

}  // namespace ba::sql
