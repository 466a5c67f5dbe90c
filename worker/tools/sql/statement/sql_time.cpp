// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_time.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "worker/tools/sql/statement/sql_definitions.hpp"
#include "worker/tools/sql/statement/sql_rules.hpp"
#include "worker/tools/sql/statement/sql_time_casts.hpp"

namespace ba {
namespace {

using Json = nlohmann::json;
using Names = std::set<std::string_view>;
using Reason = std::optional<std::string>;

const Names kTimeFunctions{"clock_timestamp", "now", "statement_timestamp", "timeofday",
                           "transaction_timestamp"};

/// Another value each time, or one of the session.
const Names kOfTheMoment{"array_sample",    "array_shuffle",   "current_database", "current_schema",
                         "current_schemas", "gen_random_uuid", "random",           "random_normal",
                         "uuidv4",          "uuidv7",          "version"};

/// Say where a row is stored, which changes with any update of its table.
const Names kSystemColumns{"cmax", "cmin", "ctid", "tableoid", "xmax", "xmin"};

/// Make rows from a text, whose values pass through the input functions of their types.
const Names kRecordFunctions{
    "json_populate_record",     "json_populate_recordset", "json_to_record",
    "json_to_recordset",        "jsonb_populate_record",   "jsonb_populate_record_valid",
    "jsonb_populate_recordset", "jsonb_to_record",         "jsonb_to_recordset"};

/// Words of date and time input that mean another moment each time.
const Names kTimeWords{"now", "today", "tomorrow", "yesterday"};

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

}  // namespace

bool spells_the_present(const SqlStatement& statement) { return has_time_word(statement.body); }

std::optional<std::string> why_not_cacheable(const SqlStatement& statement) {
  const bool reads = statement.node == "SelectStmt" || statement.node == "ExplainStmt";
  if (!reads) return sql_name(statement.node) + " is more than reading";
  if (Reason reason = within(statement.body)) return reason;
  return time_casts(statement.body).reason;
}

}  // namespace ba
