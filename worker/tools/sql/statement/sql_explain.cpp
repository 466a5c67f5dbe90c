// SPDX-License-Identifier: Apache-2.0
// explained_statement() of sql_tree.hpp: finds where the statement in an EXPLAIN begins, and proves
// it by parsing what it found.
#include <algorithm>
#include <string>

#include "worker/tools/sql/statement/sql_clauses.hpp"
#include "worker/tools/sql/statement/sql_tree.hpp"

namespace ba {
namespace {

/// Steps over an EXPLAIN's own words, token by token.
class Head {
 public:
  explicit Head(std::string_view sql) : sql_(sql) {}

  /// What stands behind the words and options.
  std::string_view rest() {
    word();  // EXPLAIN
    skip_blank();
    if (at_ < sql_.size() && sql_[at_] == '(' && !opens_statement()) return skip_options();
    while (true) {
      skip_blank();
      const std::size_t before = at_;
      const std::string next = word();
      if (next == "analyze" || next == "analyse" || next == "verbose") continue;
      return sql_.substr(before);
    }
  }

 private:
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  std::string word() {
    skip_blank();
    std::string word;
    for (; at_ < sql_.size() && is_letter(sql_[at_]); ++at_)
      word += static_cast<char>(sql_[at_] | 0x20);
    return word;
  }

  /// Whether the bracket belongs to the statement, as in EXPLAIN (SELECT 1).
  bool opens_statement() const {
    Head inside(sql_.substr(at_ + 1));
    inside.skip_blank();
    if (inside.at_ < inside.sql_.size() && inside.sql_[inside.at_] == '(') return true;
    const std::string first = inside.word();
    return first == "select" || first == "with" || first == "values" || first == "table";
  }

  /// Options hold words, numbers and texts in quotes.
  std::string_view skip_options() {
    char quote = 0;
    for (; at_ < sql_.size(); ++at_) {
      const char c = sql_[at_];
      if (quote != 0)
        quote = c == quote ? 0 : quote;
      else if (c == '\'' || c == '"')
        quote = c;
      else if (c == ')')
        return sql_.substr(at_ + 1);
    }
    return {};
  }

  void skip_blank() {
    while (at_ < sql_.size()) {
      if (std::string_view(" \t\n\r\f\v").find(sql_[at_]) != std::string_view::npos)
        ++at_;
      else if (sql_.substr(at_, 2) == "--")
        at_ = std::min(sql_.find('\n', at_), sql_.size());
      else if (sql_.substr(at_, 2) == "/*")
        at_ = behind_comment(sql_, at_);
      else
        return;
    }
  }

  std::string_view sql_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::string> explained_statement(std::string_view sql, const SqlStatement& explain,
                                        const GuardLimits& limits) {
  const std::string_view rest = Head(sql).rest();
  const Result<SqlStatement> found = parse_statement(rest, limits);
  nlohmann::json meant = explain.body.value("query", nlohmann::json::object());
  strip_locations(meant);
  if (found) {
    nlohmann::json tree = {{found->node, found->body}};
    strip_locations(tree);
    if (tree == meant) return std::string(rest);
  }
  return invalid_argument(
      "Where the statement in this EXPLAIN begins can't be told; write EXPLAIN "
      "and the statement without comments between them");
}

}  // namespace ba
