// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_tree.hpp"

#include <pg_query.h>

#include <array>
#include <iterator>
#include <memory>
#include <utility>

#include "pipeline/core/tool/json_shape.hpp"

namespace ba::sql {
namespace {

Error unreadable(const char* detail, std::string message) {
  Error error = invalid_argument(std::move(message));
  error.detail = detail;
  return error;
}

/// PostgreSQL's scanner reads the rest of a run of these again for each one in it, nested comments
/// included: seconds, for a text of the allowed length. No operator is as long; a line in a comment
/// may be.
constexpr std::array<bool, 256> kIsOperatorCharacter = [] {
  std::array<bool, 256> is{};
  for (const char c : std::string_view("~!@#^&|`?+-*/%<>="))
    is[static_cast<unsigned char>(c)] = true;
  return is;
}();
constexpr std::size_t kOperatorRunMax = 1000;

bool has_long_operator_run(std::string_view sql) {
  std::size_t run = 0;
  for (const char c : sql) {
    run = kIsOperatorCharacter[static_cast<unsigned char>(c)] ? run + 1 : 0;
    if (run > kOperatorRunMax) return true;
  }
  return false;
}

Error not_one_statement(std::size_t statements) {
  return unreadable("SQL_NOT_ONE_STATEMENT", "There are " + std::to_string(statements) +
                                                 " statements in the text; write exactly one");
}

Error too_deep() {
  return unreadable("SQL_TOO_DEEP", "The statement is nested too deeply. Simplify it");
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

/// The same of a text that the library may be given.
Result<std::string> tree_of(std::string_view sql, const GuardLimits& limits) {
  if (sql.size() > limits.bytes_max)
    return unreadable("SQL_TOO_LONG", "The statement has " + std::to_string(sql.size()) +
                                          " bytes; at most " + std::to_string(limits.bytes_max) +
                                          " are allowed");
  if (sql.find('\0') != std::string_view::npos)
    return unreadable("SQL_SYNTAX", "The statement contains a NUL character");
  if (has_long_operator_run(sql))
    return unreadable("SQL_SYNTAX", "The statement has more than " +
                                        std::to_string(kOperatorRunMax) +
                                        " operator characters (as + - * /) in a row");
  return parse_tree(std::string(sql));
}

}  // namespace

Error sql_not_allowed(std::string message) {
  Error error = unreadable("SQL_NOT_ALLOWED", std::move(message));
  error.code = ErrorCode::PermissionDenied;
  return error;
}

Result<SqlStatement> parse_statement(std::string_view sql, const GuardLimits& limits) {
  const Result<std::string> text = tree_of(sql, limits);
  if (!text) return text.error();
  if (json_shape(*text).depth > limits.depth_max) return too_deep();
  nlohmann::json tree = nlohmann::json::parse(*text, nullptr, false);
  const std::size_t statements = tree.contains("stmts") ? tree.at("stmts").size() : 0;
  if (statements != 1) return not_one_statement(statements);
  nlohmann::json& statement = tree.at("stmts").at(0).at("stmt");
  return SqlStatement{statement.begin().key(), std::move(statement.begin().value())};
}

Result<ReadStatement> read_statement(std::string_view sql, const GuardLimits& limits) {
  Result<std::string> text = tree_of(sql, limits);
  if (!text) return text.error();
  SyntaxTree tree(std::move(*text), limits.depth_max);
  if (tree.fault() == SyntaxTree::Fault::TooDeep) return too_deep();
  const SyntaxTree::Value found = tree.root().member("stmts");
  const auto statements = std::ranges::distance(found.begin(), found.end());
  if (statements != 1) return not_one_statement(static_cast<std::size_t>(statements));
  const SyntaxTree::Value statement = (*found.begin()).member("stmt");
  if (statement.begin() == statement.end()) return not_one_statement(0);
  return ReadStatement(std::move(tree));
}

SyntaxTree::Value ReadStatement::body() const {
  const SyntaxTree::Value statements = tree_.root().member("stmts");
  return *(*statements.begin()).member("stmt").begin();
}

const nlohmann::json* json_member(const nlohmann::json& body, const char* name) {
  if (!body.is_object()) return nullptr;
  const auto found = body.find(name);
  return found == body.end() ? nullptr : &*found;
}

std::string name_in(const nlohmann::json& node) {
  const nlohmann::json* string = json_member(node, "String");
  return string ? string->value("sval", "") : "";
}

std::string last_name(const nlohmann::json& list) {
  return list.is_array() && !list.empty() ? name_in(list.back()) : "";
}

void strip_locations(nlohmann::json& tree) {
  if (tree.is_object()) tree.erase("location");
  if (tree.is_structured())
    for (nlohmann::json& inner : tree) strip_locations(inner);
}

}  // namespace ba::sql
