// SPDX-License-Identifier: Apache-2.0
#pragma once
// Proves from PostgreSQL's own parse tree that a text is one statement that only reads: a SELECT
// (VALUES, TABLE, WITH and set operations included) or an EXPLAIN of one, made of allow-listed
// node types and fields, that calls no function known by its name to write, wait or look outside
// the database. The first of several walls: what names stand for, the server says
// (resolved/statement_judge.hpp); the role, the read-only transaction and the limits stand behind.
// Pure; any thread. The parser's grammar is that of kParserMajor.

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "worker/tools/sql/statement/sql_tree.hpp"

namespace ba::sql {

/// A statement that passed, as it is to be sent.
struct GuardedSql {
  std::string text;
  bool is_explain = false;
  std::string explained;  ///< of an EXPLAIN: the statement in it
};

/// What was refused and what would be right, for a model; none: nothing.
using SqlRefusal = std::optional<std::string>;

/// Walks the parse tree of a statement, or a part of it, and stops at the first thing that is not
/// allowed: a node, field, function, type or table that the rules (sql_rules.hpp) don't know as
/// harmless. It goes by names, which decide nothing: what they stand for only the server knows
/// (resolved/). The tree's depth was checked before (sql_tree.hpp). One thread.
class SqlWalk {
 public:
  /// Tables, views and WITHs, each time they are named: what the server makes of a view may be
  /// long, and comes back for the verdict.
  static constexpr int kTablesMax = 64;

  using Value = SyntaxTree::Value;

  /// `right` says what to write instead, behind what was refused. `writes`: the nodes and fields
  /// that only a statement that writes has are allowed, too.
  explicit SqlWalk(const char* right, bool writes = false) : right_(right), writes_(writes) {}

  /// Each throws UnexpectedSyntax for a part that isn't as the parser writes it.
  SqlRefusal node(std::string_view name, Value body);

  /// The value of a field: nodes, a list of them, or a plain value.
  SqlRefusal inside(Value value);

 private:
  SqlRefusal fields(Value body);
  SqlRefusal member(Value value);
  SqlRefusal special(std::string_view name, Value body);
  SqlRefusal not_allowed(std::string_view name) const;
  const char* right_;
  bool writes_;
  int tables_ = 0;
};

/// InvalidArgument (detail SQL_SYNTAX, SQL_TOO_LONG, SQL_NOT_ONE_STATEMENT) when it can't be read
/// as one statement, PermissionDenied (detail SQL_NOT_ALLOWED) when it does more than read. The
/// message is for a model: it names the construct and what is right instead.
Result<GuardedSql> guard(std::string_view sql, const GuardLimits& limits = {});

}  // namespace ba::sql
