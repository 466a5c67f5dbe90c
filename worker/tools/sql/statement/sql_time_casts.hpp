// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a statement's casts make dates and times of, as far as its text shows it: PostgreSQL reads
// 'now' and 'today' when it reads a date. A text that is put together may spell such a word, and so
// may a column of texts; which type a column has, only the catalog knows. Pure; any thread.

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ba::sql {

/// What each column name in a parsed statement may stand for, wherever it stands: a name of one
/// scope is taken for one of another, too, so that nothing it may mean is missed. It borrows from
/// the tree.
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

/// Of a TypeCast's body, and of a FuncCall's: without the schema.
std::string type_named(const nlohmann::json& cast);
std::string function_named(const nlohmann::json& call);

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

}  // namespace ba::sql
