// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_guard.hpp"

#include <vector>

#include "pipeline/base/lower_case.hpp"
#include "worker/tools/sql/statement/sql_rules.hpp"

namespace ba::sql {
namespace {

using Value = SyntaxTree::Value;

/// Of a String node; empty: it is none.
std::string name_in(Value node) {
  const Value string = node.member("String");
  return string ? string.text("sval") : "";
}

/// The dotted names of a list of String nodes; "" stands for anything else in it, as `*`.
std::vector<std::string> names_of(Value list) {
  std::vector<std::string> names;
  for (const Value item : list) names.push_back(name_in(item));
  return names;
}

SqlRefusal refusal_of_table(Value body) {
  const std::string schema = body.text("schemaname");
  const std::string table = body.text("relname");
  if (is_own_table(table))
    return "The table " + table + " is not readable here: it is this tool's own";
  if (!is_system_table(schema, table) || is_readable_system_table(schema, table))
    return std::nullopt;
  return "The system catalog (" + (schema.empty() ? table : schema + "." + table) +
         ") is not readable here. Use information_schema.tables and information_schema.columns";
}

SqlRefusal refusal_of_call(const std::vector<std::string>& names) {
  if (names.empty()) return "A function without a name is not allowed";
  return refusal_of_function(lower_case(names.back()));
}

SqlRefusal refusal_of_operator(const std::vector<std::string>& names) {
  if (names.size() > 1 && names.front() != "pg_catalog")
    return "OPERATOR(" + names.front() + "...) is not allowed: use PostgreSQL's own operators";
  return std::nullopt;
}

/// `x.f` calls f(x) where there is no such column. Only the server knows; what no column would be
/// called is refused before it is asked. `first`: of the parts that may be one.
SqlRefusal refusal_of_attribute(Value parts, std::size_t first) {
  const std::vector<std::string> names = names_of(parts);
  for (std::size_t i = first; i < names.size(); ++i)
    if (is_name_of_call(lower_case(names[i]))) return refusal_of_function(lower_case(names[i]));
  return std::nullopt;
}

SqlRefusal refusal_of_type(Value type) {
  const auto names = names_of(type.member("names"));
  if (names.empty() || !tells_of_roles(lower_case(names.back()))) return std::nullopt;
  return "The type " + names.back() + " is not allowed: which roles there are is not shown";
}

SqlRefusal refusal_of_session_value(const std::string& op) {
  if (op.find("USER") == std::string::npos && op.find("ROLE") == std::string::npos)
    return std::nullopt;
  return "current_user and its like are not allowed, since the login is not shown: leave them out";
}

constexpr const char* kRight = "Write one SELECT statement that only reads.";

SqlRefusal check_explain(Value body, SqlWalk& walk) {
  for (const Value option : body.member("options")) {
    const std::string name = option.at("DefElem").text("defname");
    if (!is_allowed_explain_option(name))
      return "EXPLAIN with " + name +
             " is not allowed: options are analyze, buffers, costs, format, summary, timing, "
             "verbose";
  }
  const Value query = body.at("query");
  const Value select = query.member("SelectStmt");
  if (!select) return "EXPLAIN of anything but a SELECT is not allowed. " + std::string(kRight);
  return walk.node("SelectStmt", select);
}

SqlRefusal check_statement(const ReadStatement& statement, GuardedSql& found) {
  SqlWalk walk(kRight);
  const std::string_view node = statement.node();
  found.is_explain = node == "ExplainStmt";
  if (found.is_explain) return check_explain(statement.body(), walk);
  if (node == "SelectStmt") return walk.node(node, statement.body());
  return sql_name(node) + " is not allowed. " + kRight;
}

}  // namespace

SqlRefusal SqlWalk::not_allowed(std::string_view name) const {
  return sql_name(name) + " is not allowed. " + right_;
}

SqlRefusal SqlWalk::node(std::string_view name, Value body) {
  if (!is_allowed_node(name) && !(writes_ && is_allowed_node_of_writes(name)))
    return not_allowed(name);
  if (SqlRefusal refusal = special(name, body)) return refusal;
  return fields(body);
}

/// The members of a node: fields in lower case, or nodes that wrap what they are.
SqlRefusal SqlWalk::fields(Value body) {
  for (const Value one : body)
    if (SqlRefusal refusal = member(one)) return refusal;
  return std::nullopt;
}

SqlRefusal SqlWalk::member(Value value) {
  const std::string_view key = value.key();
  const bool wraps_node = !key.empty() && key[0] >= 'A' && key[0] <= 'Z';
  if (wraps_node) return node(key, value);
  if (!is_allowed_field(key) && !(writes_ && is_allowed_field_of_writes(key)))
    return not_allowed(key);
  if (key == "typeName" && value.is_object()) {
    if (SqlRefusal refusal = refusal_of_type(value)) return refusal;
  }
  if (key == "useOp" || key == "operName") {
    if (SqlRefusal refusal = refusal_of_operator(names_of(value))) return refusal;
  }
  return inside(value);
}

SqlRefusal SqlWalk::inside(Value value) {
  if (value.is_object()) return fields(value);
  if (value.is_array())
    for (const Value item : value)
      if (SqlRefusal refusal = inside(item)) return refusal;
  return std::nullopt;
}

SqlRefusal SqlWalk::special(std::string_view name, Value body) {
  if (name == "FuncCall") return refusal_of_call(names_of(body.member("funcname")));
  if (name == "A_Expr") return refusal_of_operator(names_of(body.member("name")));
  if (name == "RangeVar" && ++tables_ > kTablesMax)
    return "A statement may name at most " + std::to_string(kTablesMax) +
           " tables. Split it, or name what is used often once, in a WITH";
  if (name == "RangeVar") return refusal_of_table(body);
  if (name == "ColumnRef") return refusal_of_attribute(body.member("fields"), 1);
  if (name == "A_Indirection") return refusal_of_attribute(body.member("indirection"), 0);
  if (name == "SQLValueFunction") return refusal_of_session_value(body.text("op"));
  return std::nullopt;
}

Result<GuardedSql> guard(std::string_view sql, const GuardLimits& limits) {
  const Result<ReadStatement> statement = read_statement(sql, limits);
  if (!statement) return statement.error();
  GuardedSql guarded;
  guarded.text = std::string(sql);
  try {
    if (const SqlRefusal refusal = check_statement(*statement, guarded))
      return sql_not_allowed(*refusal);
  } catch (const UnexpectedSyntax&) {
    return sql_not_allowed("The statement can't be checked; write it in a simpler way");
  }
  if (!guarded.is_explain) return guarded;
  Result<std::string> explained = explained_statement(sql, limits);
  if (!explained) return sql_not_allowed(explained.error().message);
  guarded.explained = std::move(*explained);
  return guarded;
}

}  // namespace ba::sql
