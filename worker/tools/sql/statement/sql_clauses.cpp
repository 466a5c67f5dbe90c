// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/sql_clauses.hpp"

#include <algorithm>
#include <cctype>

namespace ba {
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
    std::string text(sql_.substr(begin, at_ - begin));
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    escapes_ = text == "e";
    if (depth_ == 0) words_.push_back({std::move(text), begin, at_});
  }

  std::string_view sql_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool escapes_ = false;  ///< the next text is an E'…'
  std::vector<SqlWord> words_;
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

}  // namespace ba
