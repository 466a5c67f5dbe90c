// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql_time.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "worker/tools/sql_rules.hpp"

namespace ba {
namespace {

using Json = nlohmann::json;
using Names = std::set<std::string_view>;
using Reason = std::optional<std::string>;

const Names kTimeFunctions{"now", "transaction_timestamp", "statement_timestamp"};

/// Make rows from a text, whose values pass through the input functions of their types.
const Names kRecordFunctions{
    "json_populate_record",  "json_populate_recordset",  "json_to_record",  "json_to_recordset",
    "jsonb_populate_record", "jsonb_populate_recordset", "jsonb_to_record", "jsonb_to_recordset"};

/// Words of date and time input that mean another moment each time.
const Names kTimeWords{"now", "today", "tomorrow", "yesterday"};

/// Types whose input reads no such word.
const Names kTimelessTypes{
    "bit",     "bool",    "bpchar", "bytea",    "char",    "cidr",     "float4", "float8",
    "inet",    "int2",    "int4",   "int8",     "integer", "interval", "json",   "jsonb",
    "macaddr", "money",   "name",   "numeric",  "text",    "uuid",     "varbit", "varchar",
    "xml",     "decimal", "bigint", "smallint", "real",    "regclass", "regtype"};
const Names kTimeTypes{"date", "time", "timetz", "timestamp", "timestamptz"};

/// Functions whose result is a text that their arguments spell.
const Names kTextFunctions{"btrim",
                           "chr",
                           "concat",
                           "concat_ws",
                           "convert_from",
                           "encode",
                           "format",
                           "initcap",
                           "left",
                           "lower",
                           "lpad",
                           "ltrim",
                           "overlay",
                           "quote_ident",
                           "quote_literal",
                           "regexp_match",
                           "regexp_replace",
                           "regexp_substr",
                           "repeat",
                           "replace",
                           "reverse",
                           "right",
                           "rpad",
                           "rtrim",
                           "split_part",
                           "string_agg",
                           "string_to_array",
                           "substr",
                           "substring",
                           "translate",
                           "to_char",
                           "unnest",
                           "upper",
                           "array_to_string",
                           "json_extract_path_text",
                           "jsonb_extract_path_text"};

std::string last_name(const Json& list) {
  if (!list.is_array() || list.empty()) return "";
  const auto string = list.back().find("String");
  return string == list.back().end() ? "" : string->value("sval", "");
}

std::string function_name(const Json& call) {
  return last_name(call.value("funcname", Json::array()));
}

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

/// Whether a value may be a text that is put together, and so spell a word that stands nowhere.
bool may_be_spelled(const Json& value) {
  if (!value.is_object()) return false;
  if (const auto call = value.find("FuncCall"); call != value.end())
    return kTextFunctions.contains(function_name(*call));
  if (const auto expr = value.find("A_Expr"); expr != value.end()) {
    const std::string op = last_name(expr->value("name", Json::array()));
    return op == "||" || op == "->>" || op == "#>>";
  }
  if (const auto cast = value.find("TypeCast"); cast != value.end()) {
    const std::string type = last_name(cast->at("typeName").value("names", Json::array()));
    return !kTimeTypes.contains(type) && cast->contains("arg") && may_be_spelled(cast->at("arg"));
  }
  for (const char* choice : {"CoalesceExpr", "MinMaxExpr", "CaseExpr", "CaseWhen", "A_ArrayExpr"}) {
    const auto found = value.find(choice);
    if (found == value.end()) continue;
    for (const auto& part : *found) {
      if (may_be_spelled(part)) return true;
      if (part.is_array() && std::ranges::any_of(part, may_be_spelled)) return true;
    }
  }
  return false;
}

Reason spelled_time(const std::string& type, const Json& value) {
  if (kTimelessTypes.contains(type) || !may_be_spelled(value)) return std::nullopt;
  return "a text that is put together becomes a " + type + ", and can mean the time";
}

Reason of_function(const Json& call) {
  const std::string name = function_name(call);
  const Json arguments = call.value("args", Json::array());
  const bool age_of_now = name == "age" && arguments.size() == 1;
  if (kTimeFunctions.contains(name) || age_of_now) return "it asks for the time: " + name + "()";
  if (kRecordFunctions.contains(name)) return name + "() reads values from a text";
  if (refusal_of_function(name)) return name + "() changes from call to call";
  if (kTimeTypes.contains(name) && !arguments.empty()) return spelled_time(name, arguments[0]);
  return std::nullopt;
}

Reason of_node(const std::string& node, const Json& body) {
  if (node == "SQLValueFunction") {
    const std::string op = body.value("op", "");
    return "it asks for " + (op.starts_with("SVFOP_") ? op.substr(6) : op);
  }
  if (node == "FuncCall") return of_function(body);
  if (node == "TypeCast" && body.contains("arg") && body.contains("typeName"))
    return spelled_time(last_name(body["typeName"].value("names", Json::array())), body["arg"]);
  if (node == "A_Const" && body.contains("sval") && body["sval"].is_object())
    return time_word_in(body["sval"].value("sval", ""));
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

std::optional<std::string> why_not_cacheable(const SqlStatement& statement) {
  const bool reads = statement.node == "SelectStmt" || statement.node == "ExplainStmt";
  if (!reads) return sql_name(statement.node) + " is more than reading";
  return within(statement.body);
}

}  // namespace ba
