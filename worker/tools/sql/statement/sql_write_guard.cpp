// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_write_guard.hpp"

#include <optional>
#include <set>

#include "pipeline/base/joined.hpp"
#include "worker/tools/sql/statement/sql_rules.hpp"

namespace ba::sql {
namespace {

using Value = SyntaxTree::Value;

constexpr const char* kRight = "Write one INSERT, UPDATE or DELETE statement.";

std::optional<WriteStatement> statement_of(std::string_view node) {
  if (node == "InsertStmt") return WriteStatement::Insert;
  if (node == "UpdateStmt") return WriteStatement::Update;
  if (node == "DeleteStmt") return WriteStatement::Delete;
  return std::nullopt;
}

/// Every node below that has this name.
bool contains_node(Value tree, std::string_view name) {
  if (tree.member(name)) return true;
  for (const Value child : tree)
    if (contains_node(child, name)) return true;
  return false;
}

/// One statement that writes, part by part. The parts are named here: one that isn't, is refused.
class WriteCheck {
 public:
  WriteCheck(GuardedWrite& found, const WriteRules& rules)
      : found_(found), rules_(rules), walk_(kRight, true) {}

  SqlRefusal check(Value body) {
    if (SqlRefusal refusal = allowed(found_.statement)) return refusal;
    if (SqlRefusal refusal = target(body.at("relation"))) return refusal;
    if (SqlRefusal refusal = condition(body)) return refusal;
    for (const Value part : body)
      if (SqlRefusal refusal = check_part(part)) return refusal;
    return std::nullopt;
  }

 private:
  SqlRefusal allowed(WriteStatement statement) const {
    if (rules_.statements.contains(statement)) return std::nullopt;
    std::vector<std::string> names;
    for (const WriteStatement one : rules_.statements) names.emplace_back(to_string(one));
    return std::string(to_string(statement)) + " is not allowed here; allowed: " + joined(names);
  }

  SqlRefusal target(Value relation) {
    const std::string table = relation.text("relname");
    const std::string schema = relation.text("schemaname");
    if (relation.member("catalogname"))
      return "Name the table without its database: " + schema + "." + table;
    for (const std::string& allowed : rules_.tables) {
      if (qualified(allowed) != (schema.empty() ? kDefaultSchema : schema) + "." + table) continue;
      found_.table = allowed;
      return std::nullopt;
    }
    return "Writing to the table " + (schema.empty() ? table : schema + "." + table) +
           " is not allowed. Tables that may be written: " + joined(rules_.tables);
  }

  static std::string qualified(const std::string& table) {
    return table.find('.') == std::string::npos ? kDefaultSchema + "." + table : table;
  }

  /// A statement that forgot its condition must not reach every row.
  SqlRefusal condition(Value body) const {
    if (found_.statement == WriteStatement::Insert) return std::nullopt;
    const std::string name(to_string(found_.statement));
    const Value where = body.member("whereClause");
    if (!where) return name + " without WHERE is not allowed: say which rows, by their columns";
    if (contains_node(where, "ColumnRef")) return std::nullopt;
    return name + " with a WHERE that looks at no column is not allowed: say which rows";
  }

  SqlRefusal check_part(Value value) {
    static const std::set<std::string_view> kExpressions{
        "cols",        "selectStmt", "targetList",    "fromClause",      "usingClause",
        "whereClause", "withClause", "returningList", "onConflictClause"};
    const std::string_view part = value.key();
    if (part == "relation") return std::nullopt;
    if (part == "override")
      return value.text() == "OVERRIDING_NOT_SET"
                 ? SqlRefusal{}
                 : "OVERRIDING is not allowed: leave the column out";
    if (part == "onConflictClause") {
      found_.upserts = value.text("action") == "ONCONFLICT_UPDATE";
      found_.leaves_rows_out = !found_.upserts || value.member("whereClause");
      if (found_.upserts)
        if (SqlRefusal refusal = allowed(WriteStatement::Update)) return refusal;
    }
    if (kExpressions.contains(part)) return walk_.inside(value);
    return sql_name(part) + " is not allowed. " + kRight;
  }

  inline static const std::string kDefaultSchema = "public";

  GuardedWrite& found_;
  const WriteRules& rules_;
  SqlWalk walk_;
};

}  // namespace

Result<GuardedWrite> guard_write(std::string_view sql, const WriteRules& rules,
                                 const GuardLimits& limits) {
  const Result<ReadStatement> statement = read_statement(sql, limits);
  if (!statement) return statement.error();
  GuardedWrite guarded;
  guarded.sql.text = std::string(sql);
  try {
    const auto kind = statement_of(statement->node());
    if (!kind) return sql_not_allowed(sql_name(statement->node()) + " is not allowed. " + kRight);
    guarded.statement = *kind;
    if (const SqlRefusal refusal = WriteCheck(guarded, rules).check(statement->body()))
      return sql_not_allowed(*refusal);
  } catch (const UnexpectedSyntax&) {
    return sql_not_allowed("The statement can't be checked; write it in a simpler way");
  }
  return guarded;
}

}  // namespace ba::sql
