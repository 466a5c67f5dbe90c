// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_guard.hpp"

#include "worker/tools/sql/statement/sql_rules.hpp"

namespace ba {
namespace {

using Json = nlohmann::json;

constexpr const char* kRight = "Write one SELECT statement that only reads.";

SqlRefusal check_explain(const Json& body, SqlWalk& walk) {
  for (const Json& option : body.value("options", Json::array())) {
    const std::string name = option.at("DefElem").value("defname", "");
    if (!is_allowed_explain_option(name))
      return "EXPLAIN with " + name +
             " is not allowed: options are analyze, buffers, costs, format, summary, timing, "
             "verbose";
  }
  const Json& query = body.at("query");
  if (!query.contains("SelectStmt"))
    return "EXPLAIN of anything but a SELECT is not allowed. " + std::string(kRight);
  return walk.node("SelectStmt", query.at("SelectStmt"));
}

SqlRefusal check_statement(const SqlStatement& statement, GuardedSql& found) {
  SqlWalk walk(kRight);
  found.is_explain = statement.node == "ExplainStmt";
  if (found.is_explain) return check_explain(statement.body, walk);
  if (statement.node == "SelectStmt") return walk.node(statement.node, statement.body);
  return sql_name(statement.node) + " is not allowed. " + kRight;
}

}  // namespace

Result<GuardedSql> guard(std::string_view sql, const GuardLimits& limits) {
  const Result<SqlStatement> statement = parse_statement(sql, limits);
  if (!statement) return statement.error();
  GuardedSql guarded;
  guarded.text = std::string(sql);
  try {
    if (const SqlRefusal refusal = check_statement(*statement, guarded))
      return sql_not_allowed(*refusal);
  } catch (const Json::exception&) {
    return sql_not_allowed("The statement can't be checked; write it in a simpler way");
  }
  if (!guarded.is_explain) return guarded;
  Result<std::string> explained = explained_statement(sql, *statement, limits);
  if (!explained) return sql_not_allowed(explained.error().message);
  guarded.explained = std::move(*explained);
  return guarded;
}

}  // namespace ba
