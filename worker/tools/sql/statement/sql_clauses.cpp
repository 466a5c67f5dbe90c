// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_clauses.hpp"

#include <algorithm>
#include <cctype>

#include "pipeline/base/lower_case.hpp"
#include "worker/tools/sql/statement/sql_tree.hpp"

namespace ba::sql {
namespace {

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
}

bool in_name(char c) {
  return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '$';
}

class Scanner {
 public:
  explicit Scanner(std::string_view sql) : sql_(sql) {}

  std::vector<SqlWord> words() {
    while (at_ < sql_.size()) step();
    return std::move(words_);
  }

 private:
  void step() {
    const char c = sql_[at_];
    const std::string_view two = sql_.substr(at_, 2);
    if (two == "--") return to(sql_.find('\n', at_));
    if (two == "/*") return to(behind_comment(sql_, at_));
    if (c == '\'') return skip_quoted(c, escapes_);
    if (c == '"') return skip_quoted(c, false);
    if (c == '$') return skip_dollar();
    if (begins_name(c)) return word();
    if (c == '(' || c == '[') ++depth_;
    if (c == ')' || c == ']') --depth_;
    ++at_;
  }

  void to(std::size_t at) { at_ = std::min(at, sql_.size()); }

  void skip_quoted(char quote, bool escapes) {
    escapes_ = false;
    for (++at_; at_ < sql_.size() && sql_[at_] != quote; ++at_)
      if (escapes && sql_[at_] == '\\') ++at_;
    to(at_ + 1);
  }

  /// $tag$ … $tag$, or a parameter.
  void skip_dollar() {
    const std::size_t end = sql_.find('$', at_ + 1);
    const std::string_view tag =
        sql_.substr(at_, end == std::string_view::npos ? 1 : end + 1 - at_);
    const bool quotes =
        tag.size() >= 2 && std::ranges::all_of(tag.substr(1, tag.size() - 2), in_name);
    if (!quotes) return to(at_ + 1);
    const std::size_t close = sql_.find(tag, at_ + tag.size());
    to(close == std::string_view::npos ? close : close + tag.size());
  }

  void word() {
    const std::size_t begin = at_;
    while (at_ < sql_.size() && in_name(sql_[at_])) ++at_;
    std::string text = lower_case(sql_.substr(begin, at_ - begin));
    escapes_ = text == "e";
    if (depth_ == 0) words_.push_back({std::move(text), begin, at_});
  }

  std::string_view sql_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool escapes_ = false;  ///< the next text is an E'…'
  std::vector<SqlWord> words_;
};

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

std::size_t behind_comment(std::string_view sql, std::size_t at) {
  int depth = 0;
  do {
    const std::string_view two = sql.substr(at, 2);
    if (two == "/*") ++depth;
    if (two == "*/") --depth;
    at += two == "/*" || two == "*/" ? 2 : 1;
  } while (depth > 0 && at < sql.size());
  return at;
}

std::vector<SqlWord> words_outside_brackets(std::string_view sql) { return Scanner(sql).words(); }

/// Finds where the statement in an EXPLAIN begins, and proves it by parsing what it found.
Result<std::string> explained_statement(std::string_view sql, const GuardLimits& limits) {
  const Result<SqlStatement> explain = parse_statement(sql, limits);
  if (!explain) return explain.error();
  const std::string_view rest = Head(sql).rest();
  const Result<SqlStatement> found = parse_statement(rest, limits);
  nlohmann::json meant = explain->body.value("query", nlohmann::json::object());
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

}  // namespace ba::sql
