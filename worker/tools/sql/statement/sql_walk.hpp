#pragma once
// SPDX-License-Identifier: Apache-2.0
// Walks the parse tree of a statement, or a part of it, and stops at the first thing that is not
// allowed: a node, field, function, type or table that the rules (sql_rules.hpp) don't know as
// harmless. It goes by names, which decide nothing: what they stand for only the server knows
// (resolved/). The tree's depth was checked before (sql_tree.hpp). One thread.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ba {

/// A statement that passed, as it is to be sent.
struct GuardedSql {
  std::string text;
  bool is_explain = false;
  std::string explained;  ///< of an EXPLAIN: the statement in it
};

/// What was refused and what would be right, for a model; none: nothing.
using SqlRefusal = std::optional<std::string>;

class SqlWalk {
 public:
  /// Tables, views and WITHs, each time they are named: what the server makes of a view may be
  /// long, and comes back for the verdict.
  static constexpr int kTablesMax = 64;

  using Json = nlohmann::json;

  /// `right` says what to write instead, behind what was refused. `writes`: the nodes and fields
  /// that only a statement that writes has are allowed, too.
  explicit SqlWalk(const char* right, bool writes = false) : right_(right), writes_(writes) {}

  SqlRefusal node(const std::string& name, const Json& body);

  /// The value of a field: nodes, a list of them, or a plain value.
  SqlRefusal inside(const Json& value);

 private:
  SqlRefusal fields(const Json& body);
  SqlRefusal member(const std::string& key, const Json& value);
  SqlRefusal special(const std::string& name, const Json& body);
  SqlRefusal not_allowed(const std::string& name) const;
  const char* right_;
  bool writes_;
  int tables_ = 0;
};

}  // namespace ba
