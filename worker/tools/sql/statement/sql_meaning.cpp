// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_meaning.hpp"

#include <algorithm>
#include <string_view>

#include "worker/tools/base/name_list.hpp"
#include "worker/tools/sql/statement/sql_rules.hpp"
#include "worker/tools/sql/statement/sql_time_casts.hpp"

namespace ba::sql {
namespace {

using Json = nlohmann::json;
using Reason = std::optional<std::string>;

const tools::NameList kTimeFunctions{"clock_timestamp", "now", "statement_timestamp", "timeofday",
                                     "transaction_timestamp"};

/// Another value each time, or one of the session.
const tools::NameList kOfTheMoment{"array_sample",   "array_shuffle",   "current_database",
                                   "current_schema", "current_schemas", "gen_random_uuid",
                                   "random",         "random_normal",   "uuidv4",
                                   "uuidv7",         "version"};

/// Say where a row is stored, which changes with any update of its table.
const tools::NameList kSystemColumns{"cmax", "cmin", "ctid", "tableoid", "xmax", "xmin"};

/// Make rows from a text, whose values pass through the input functions of their types.
const tools::NameList kRecordFunctions{
    "json_populate_record",     "json_populate_recordset", "json_to_record",
    "json_to_recordset",        "jsonb_populate_record",   "jsonb_populate_record_valid",
    "jsonb_populate_recordset", "jsonb_to_record",         "jsonb_to_recordset"};

/// Words of date and time input that mean another moment each time.
const tools::NameList kTimeWords{"now", "today", "tomorrow", "yesterday"};

Reason time_word_in(std::string_view text) {
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ' ';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c >= 'a' && c <= 'z') {
      word += c;
      continue;
    }
    if (kTimeWords.contains(word)) return "the text '" + word + "' can mean the time";
    word.clear();
  }
  return std::nullopt;
}

bool has_time_word(const Json& value) {
  if (value.is_object() && value.contains("A_Const")) {
    const Json text = value["A_Const"].value("sval", Json::object());
    if (text.is_object() && time_word_in(text.value("sval", ""))) return true;
  }
  return value.is_structured() &&
         std::ranges::any_of(value, [](const Json& inner) { return has_time_word(inner); });
}

Reason of_function(const Json& call) {
  const std::string name = function_named(call);
  const Json arguments = call.value("args", Json::array());
  const bool age_of_now = name == "age" && arguments.size() == 1;
  if (kTimeFunctions.contains(name) || age_of_now) return "it asks for the time: " + name + "()";
  if (kRecordFunctions.contains(name)) return name + "() reads values from a text";
  if (kOfTheMoment.contains(name) || refusal_of_function(name))
    return name + "() changes from call to call";
  return std::nullopt;
}

Reason of_node(const std::string& node, const Json& body) {
  if (node == "SQLValueFunction") {
    const std::string op = body.value("op", "");
    return "it asks for " + (op.starts_with("SVFOP_") ? op.substr(6) : op);
  }
  if (node == "FuncCall") return of_function(body);
  if (node == "A_Const" && body.contains("sval") && body["sval"].is_object())
    return time_word_in(body["sval"].value("sval", ""));
  if (node == "ColumnRef" &&
      kSystemColumns.contains(last_name(body.value("fields", Json::array()))))
    return "a system column says where a row is stored";
  if (node == "DefElem" && body.value("defname", "") == "analyze")
    return "EXPLAIN (ANALYZE) measures";
  if (node == "RangeTableSample") return "TABLESAMPLE picks other rows each time";
  if (node == "LockingClause") return "it locks rows";
  return std::nullopt;
}

Reason within(const Json& value) {
  if (value.is_object()) {
    for (auto item = value.begin(); item != value.end(); ++item) {
      if (item->is_object())
        if (Reason reason = of_node(item.key(), *item)) return reason;
      if (Reason reason = within(*item)) return reason;
    }
  } else if (value.is_array()) {
    for (const Json& inner : value)
      if (Reason reason = within(inner)) return reason;
  }
  return std::nullopt;
}

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

bool spells_the_present(const SqlStatement& statement) { return has_time_word(statement.body); }

std::optional<std::string> why_not_cacheable(const SqlStatement& statement) {
  const bool reads = statement.node == "SelectStmt" || statement.node == "ExplainStmt";
  if (!reads) return sql_name(statement.node) + " is more than reading";
  if (Reason reason = within(statement.body)) return reason;
  return time_casts(statement.body).reason;
}

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

}  // namespace ba::sql
