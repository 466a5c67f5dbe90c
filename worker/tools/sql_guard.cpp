// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql_guard.hpp"

#include <pg_query.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/tool/json_shape.hpp"
#include "worker/tools/sql_rules.hpp"

namespace ba {
namespace {

using Json = nlohmann::json;
using Refusal = std::optional<std::string>;

constexpr const char* kRight = "Write one SELECT statement that only reads.";

Error unreadable(const char* detail, std::string message) {
  Error error = invalid_argument(std::move(message));
  error.detail = detail;
  return error;
}

Error forbidden(std::string message) {
  Error error;
  error.code = ErrorCode::PermissionDenied;
  error.message = std::move(message);
  error.detail = "SQL_NOT_ALLOWED";
  return error;
}

/// The parse tree as JSON text.
Result<std::string> parse_tree(const std::string& sql) {
  const PgQueryParseResult parsed = pg_query_parse(sql.c_str());
  const std::unique_ptr<const PgQueryParseResult, void (*)(const PgQueryParseResult*)> owner(
      &parsed, [](const PgQueryParseResult* result) { pg_query_free_parse_result(*result); });
  if (!parsed.error) return std::string(parsed.parse_tree);
  std::string message = parsed.error->message;
  if (parsed.error->cursorpos > 0)
    message += " (character " + std::to_string(parsed.error->cursorpos) + ")";
  return unreadable("SQL_SYNTAX", std::move(message));
}

/// The dotted names of a list of String nodes; "" stands for anything else in it, as `*`.
std::vector<std::string> names_of(const Json& list) {
  std::vector<std::string> names;
  for (const Json& item : list) {
    const auto string = item.find("String");
    names.push_back(string == item.end() ? "" : string->value("sval", ""));
  }
  return names;
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// Walks the tree of one statement; stops at the first thing that is not allowed. Its depth was
/// checked before.
class Walk {
 public:
  explicit Walk(GuardedSql& found) : found_(found) {}

  Refusal node(const std::string& name, const Json& body) {
    if (!is_allowed_node(name)) return sql_name(name) + " is not allowed. " + kRight;
    if (Refusal refusal = special(name, body)) return refusal;
    return fields(body);
  }

 private:
  /// The members of a node: fields in lower case, or nodes that wrap what they are.
  Refusal fields(const Json& body) {
    for (auto item = body.begin(); item != body.end(); ++item) {
      if (Refusal refusal = member(item.key(), *item)) return refusal;
    }
    return std::nullopt;
  }

  Refusal member(const std::string& key, const Json& value) {
    const bool wraps_node = key[0] >= 'A' && key[0] <= 'Z';
    if (wraps_node) return node(key, value);
    if (!is_allowed_field(key)) return sql_name(key) + " is not allowed. " + kRight;
    if (key == "typeName" && value.is_object()) {
      if (Refusal refusal = note_type(value)) return refusal;
    }
    if (key == "useOp" || key == "operName") {
      if (Refusal refusal = note_operator(names_of(value))) return refusal;
    }
    return inside(value);
  }

  Refusal inside(const Json& value) {
    if (value.is_object()) return fields(value);
    if (value.is_array())
      for (const Json& item : value)
        if (Refusal refusal = inside(item)) return refusal;
    return std::nullopt;
  }

  Refusal special(const std::string& name, const Json& body) {
    if (name == "FuncCall") return note_function(names_of(body.value("funcname", Json::array())));
    if (name == "A_Expr") return note_operator(names_of(body.value("name", Json::array())));
    if (name == "RangeVar") return table(body);
    if (name == "ColumnRef") note_field(names_of(body.value("fields", Json::array())));
    if (name == "A_Indirection") note_field(names_of(body.value("indirection", Json::array())));
    if (name == "SQLValueFunction") return session_value(body.value("op", ""));
    return std::nullopt;
  }

  Refusal note_function(const std::vector<std::string>& names) {
    if (names.empty()) return "A function without a name is not allowed";
    found_.functions.insert(names.back());
    return refusal_of_function(lower(names.back()));
  }

  Refusal note_operator(const std::vector<std::string>& names) {
    if (names.size() > 1 && names.front() != "pg_catalog")
      return "OPERATOR(" + names.front() + "...) is not allowed: use PostgreSQL's own operators";
    if (!names.empty()) found_.operators.insert(names.back());
    return std::nullopt;
  }

  /// `t.f` calls f(t) where there is no such column.
  void note_field(const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (!name.empty()) found_.fields.insert(name);
  }

  Refusal note_type(const Json& type) {
    const auto names = names_of(type.value("names", Json::array()));
    if (names.empty()) return std::nullopt;
    found_.types.insert(names.back());
    if (!tells_of_roles(lower(names.back()))) return std::nullopt;
    return "The type " + names.back() + " is not allowed: which roles there are is not shown";
  }

  Refusal table(const Json& body) {
    const std::string schema = body.value("schemaname", "");
    const std::string table = body.value("relname", "");
    if (!is_system_table(schema, table)) return std::nullopt;
    return "The system catalog (" + (schema.empty() ? table : schema + "." + table) +
           ") is not readable here. Use information_schema.tables and information_schema.columns";
  }

  static Refusal session_value(const std::string& op) {
    if (op.find("USER") == std::string::npos && op.find("ROLE") == std::string::npos)
      return std::nullopt;
    return "current_user and its like are not allowed: who is connected is not shown";
  }

  GuardedSql& found_;
};

Refusal check_explain(const Json& body, Walk& walk) {
  for (const Json& option : body.value("options", Json::array())) {
    const std::string name = option.at("DefElem").value("defname", "");
    if (!is_allowed_explain_option(name))
      return "EXPLAIN with " + name + " is not allowed: options are verbose, costs and format";
  }
  const Json& query = body.at("query");
  if (!query.contains("SelectStmt"))
    return "EXPLAIN of anything but a SELECT is not allowed. " + std::string(kRight);
  return walk.node("SelectStmt", query.at("SelectStmt"));
}

Refusal check_statement(const Json& statement, GuardedSql& found) {
  Walk walk(found);
  const std::string name = statement.begin().key();
  const Json& body = statement.begin().value();
  found.is_explain = name == "ExplainStmt";
  return found.is_explain ? check_explain(body, walk)
         : name == "SelectStmt"
             ? walk.node(name, body)
             : Refusal(sql_name(name) + " is not allowed. " + std::string(kRight));
}

}  // namespace

Result<GuardedSql> guard(std::string_view sql, const GuardLimits& limits) {
  if (sql.size() > limits.bytes_max)
    return unreadable("SQL_TOO_LONG", "The statement has " + std::to_string(sql.size()) +
                                          " bytes; at most " + std::to_string(limits.bytes_max) +
                                          " are allowed");
  if (sql.find('\0') != std::string_view::npos)
    return unreadable("SQL_SYNTAX", "The statement contains a NUL character");
  GuardedSql guarded;
  guarded.text = std::string(sql);
  const Result<std::string> text = parse_tree(guarded.text);
  if (!text) return text.error();
  if (json_shape(*text).depth > limits.depth_max)
    return unreadable("SQL_TOO_DEEP", "The statement is nested too deeply. Simplify it");
  try {
    const Json tree = Json::parse(*text);
    const Json statements = tree.value("stmts", Json::array());
    if (statements.size() != 1)
      return unreadable("SQL_NOT_ONE_STATEMENT", "There are " + std::to_string(statements.size()) +
                                                     " statements in the text; write exactly one");
    if (const Refusal refusal = check_statement(statements[0].at("stmt"), guarded))
      return forbidden(*refusal);
  } catch (const Json::exception& error) {
    return forbidden(std::string("The statement can't be checked: ") + error.what());
  }
  return guarded;
}

}  // namespace ba
