#pragma once
// SPDX-License-Identifier: Apache-2.0
// What each column name in a parsed statement may stand for, wherever it stands: a name of one
// scope is taken for one of another, too, so that nothing it may mean is missed. It borrows from
// the tree. Values; any thread.

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace ba {

class SqlDefinitions {
 public:
  using Json = nlohmann::json;

  /// `body`: of a parsed statement; it outlives this.
  explicit SqlDefinitions(const Json& body) { walk(body, false); }

  /// Expressions and bodies of SELECT; none: the statement doesn't define it.
  const std::vector<const Json*>& of(const std::string& name) const;

  /// What may stand for a column of any name: of functions that give rows, and branches of a UNION
  /// whose names only the catalog knows.
  const std::vector<const Json*>& of_any_name() const { return any_; }

  /// Whether it is a table's column by another name, in an order that only the catalog knows.
  bool renamed(const std::string& name) const { return renamed_.contains(name); }

 private:
  void walk(const Json& value, bool in_union);
  void note(const std::string& key, const Json& body, const Json& node);
  void note_values(const Json& rows);
  void note_union(const Json& body);
  void note_branch(const Json& branch, const std::vector<std::string>& names);
  void alias(const Json& body, const Json* meant);
  void columns(const Json& names, const Json* meant);

  std::map<std::string, std::vector<const Json*>> known_;
  std::vector<const Json*> any_;
  std::set<std::string> renamed_;
};

/// Whether it is the body of a SELECT, of VALUES or of a UNION.
bool is_select_body(const nlohmann::json& value);

/// A member of an object; null: it has none, or isn't one.
const nlohmann::json* json_member(const nlohmann::json& body, const char* name);

/// The last part of a list of String nodes; empty where it has none.
std::string last_name(const nlohmann::json& list);

/// Of a TypeCast's body, and of a FuncCall's: without the schema.
std::string type_named(const nlohmann::json& cast);
std::string function_named(const nlohmann::json& call);

}  // namespace ba
