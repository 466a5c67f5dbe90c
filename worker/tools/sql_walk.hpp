#pragma once
// SPDX-License-Identifier: Apache-2.0
// Walks the parse tree of a statement, or a part of it, and stops at the first thing that is not
// allowed: a node, field, function, operator, type or table that the rules (sql_rules.hpp) don't
// know as harmless. Notes the names that the database's catalog has to decide about. The tree's
// depth was checked before (sql_tree.hpp). One thread.

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ba {

/// A statement that passed, as it is to be sent, and the names in it that the catalog decides
/// about.
struct GuardedSql {
  std::string text;
  bool is_explain = false;
  std::set<std::string> functions;  ///< without their schema
  std::set<std::string> operators;
  std::set<std::string> types;   ///< of casts, without their schema
  std::set<std::string> tables;  ///< views among them, and what WITH names; without their schema
  std::set<std::string> fields;  ///< last part of each column: may be a call as well, `t.f` is f(t)
  std::set<std::string> timed;   ///< columns that become a date or time by a cast
  std::set<std::string> timed_outside;  ///< those of them that nothing in the statement defines
};

/// What was refused and what would be right, for a model; none: nothing.
using SqlRefusal = std::optional<std::string>;

class SqlWalk {
 public:
  using Json = nlohmann::json;

  /// `right` says what to write instead, behind what was refused. `writes`: the nodes and fields
  /// that only a statement that writes has are allowed, too.
  SqlWalk(GuardedSql& found, const char* right, bool writes = false)
      : found_(found), right_(right), writes_(writes) {}

  SqlRefusal node(const std::string& name, const Json& body);

  /// The value of a field: nodes, a list of them, or a plain value.
  SqlRefusal inside(const Json& value);

 private:
  SqlRefusal fields(const Json& body);
  SqlRefusal member(const std::string& key, const Json& value);
  SqlRefusal special(const std::string& name, const Json& body);
  SqlRefusal not_allowed(const std::string& name) const;
  SqlRefusal note_function(const std::vector<std::string>& names);
  SqlRefusal note_operator(const std::vector<std::string>& names);
  void note_field(const std::vector<std::string>& names);
  SqlRefusal note_type(const Json& type);

  GuardedSql& found_;
  const char* right_;
  bool writes_;
};

}  // namespace ba
