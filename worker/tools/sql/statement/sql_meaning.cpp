// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_meaning.hpp"

#include "worker/tools/sql/statement/sql_time.hpp"

namespace ba {
namespace {

using Json = nlohmann::json;

/// ASC and the NULLS that a direction has by itself say nothing.
void plain_sort(Json& sort) {
  const std::string direction = sort.value("sortby_dir", "");
  const std::string nulls = sort.value("sortby_nulls", "");
  if (direction == "SORTBY_ASC") sort["sortby_dir"] = "SORTBY_DEFAULT";
  const bool own = (direction == "SORTBY_DESC" && nulls == "SORTBY_NULLS_FIRST") ||
                   ((direction == "SORTBY_ASC" || direction == "SORTBY_DEFAULT") &&
                    nulls == "SORTBY_NULLS_LAST");
  if (own) sort["sortby_nulls"] = "SORTBY_NULLS_DEFAULT";
}

/// `a AND (b AND c)` is `a AND b AND c`; the same of OR. Its arguments are flat already.
void flatten(Json& expression) {
  const std::string op = expression.value("boolop", "");
  if ((op != "AND_EXPR" && op != "OR_EXPR") || !expression.contains("args")) return;
  Json flat = Json::array();
  for (Json& argument : expression["args"]) {
    const auto inner = argument.find("BoolExpr");
    if (inner != argument.end() && inner->value("boolop", "") == op && inner->contains("args"))
      for (Json& one : (*inner)["args"]) flat.push_back(std::move(one));
    else
      flat.push_back(std::move(argument));
  }
  expression["args"] = std::move(flat);
}

/// Takes out what makes no difference.
void normalise(Json& value) {
  if (value.is_structured())
    for (Json& inner : value) normalise(inner);
  if (!value.is_object()) return;
  if (const auto sort = value.find("SortBy"); sort != value.end()) plain_sort(*sort);
  if (const auto boolean = value.find("BoolExpr"); boolean != value.end()) flatten(*boolean);
}

}  // namespace

Result<SqlReading> SqlMeaning::read(std::string_view sql) const {
  Result<SqlStatement> statement = parse_statement(sql, limits_);
  if (!statement) return statement.error();
  SqlReading reading;
  reading.not_cacheable = why_not_cacheable(*statement);
  strip_locations(statement->body);
  normalise(statement->body);
  const Json tree = {{statement->node, std::move(statement->body)}};
  reading.canonical = tree.dump(-1, ' ', false, Json::error_handler_t::replace);
  return reading;
}

}  // namespace ba
