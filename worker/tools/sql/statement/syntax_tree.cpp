// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/statement/syntax_tree.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "pipeline/text/message/json_view.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba::sql {

/// Reads what the library writes. Its recursion is as deep as the tree, which has a limit.
class SyntaxTree::Reader {
 public:
  Reader(std::string_view text, int depth_max, std::vector<Entry>& entries)
      : text_(text), depth_max_(depth_max), entries_(entries) {}

  Fault read() {
    value({}, 1);
    if (good() && !at_end()) fail();
    return fault_;
  }

 private:
  bool good() const { return fault_ == Fault::None; }
  void fail() { fault_ = Fault::NotJson; }

  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  bool at_end() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ == text_.size();
  }
  char next() { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }

  /// Its place among the entries. `depth`: of the brackets that it opens.
  std::uint32_t value(std::string_view key, int depth) {
    const auto place = static_cast<std::uint32_t>(entries_.size());
    const char begin = next();
    const std::size_t from = at_;
    entries_.push_back({key, {}});
    if (begin == '{' || begin == '[')
      entries_[place].first = inside(begin, depth);
    else if (begin == '"')
      string();
    else
      word();
    entries_[place].raw = text_.substr(from, at_ - from);
    return place;
  }

  /// The first of what is between two brackets.
  std::uint32_t inside(char bracket, int depth) {
    if (depth > depth_max_) {
      fault_ = Fault::TooDeep;
      return 0;
    }
    ++at_;
    const bool object = bracket == '{';
    const std::size_t from = open_.size();
    while (good() && !take(object ? '}' : ']')) {
      if (open_.size() > from && !take(',')) fail();
      const std::string_view key = object ? name() : std::string_view();
      if (good()) open_.push_back(value(key, depth + 1));
    }
    const std::uint32_t first = linked(from, object);
    open_.resize(from);
    return first;
  }

  std::uint32_t linked(std::size_t from, bool by_name) {
    const auto begin = open_.begin() + static_cast<std::ptrdiff_t>(from);
    if (begin == open_.end()) return 0;
    if (by_name)
      std::sort(begin, open_.end(), [this](std::uint32_t one, std::uint32_t other) {
        return entries_[one].key < entries_[other].key;
      });
    for (auto one = begin; one + 1 != open_.end(); ++one) entries_[*one].next = *(one + 1);
    return *begin;
  }

  /// The library's names have nothing that is escaped.
  std::string_view name() {
    if (next() != '"') {
      fail();
      return {};
    }
    const std::size_t from = at_;
    string();
    const std::string_view quoted = text_.substr(from, at_ - from);
    if (good() && (!take(':') || quoted.find('\\') != quoted.npos)) fail();
    return good() ? quoted.substr(1, quoted.size() - 2) : std::string_view();
  }

  void string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    if (at_ >= text_.size()) return fail();
    ++at_;
  }

  /// A number, true, false or null: nobody asks what it says.
  void word() {
    const std::size_t end = std::min(text_.find_first_of(",]}", at_), text_.size());
    if (end == at_) fail();
    at_ = end;
  }

  std::string_view text_;
  const int depth_max_;
  std::vector<Entry>& entries_;
  std::vector<std::uint32_t> open_;  ///< what the containers hold that are being read
  std::size_t at_ = 0;
  Fault fault_ = Fault::None;
};

SyntaxTree::SyntaxTree(std::string json, int depth_max)
    : json_(std::make_unique<const std::string>(std::move(json))) {
  constexpr std::size_t kBytesPerEntry = 24;  // rather too many
  const bool countable = json_->size() < std::numeric_limits<std::uint32_t>::max();
  if (countable) entries_.reserve(json_->size() / kBytesPerEntry + 1);
  fault_ = countable ? Reader(*json_, depth_max, entries_).read() : Fault::TooDeep;
  if (fault_ == Fault::None && utf8_defect(*json_)) fault_ = Fault::NotJson;
}

SyntaxTree::Value SyntaxTree::root() const {
  return fault_ == Fault::None ? Value(*this, 0) : Value();
}

SyntaxTree::Value::Iterator SyntaxTree::Value::begin() const {
  return {tree_, tree_ ? entry().first : 0};
}

SyntaxTree::Value::Iterator SyntaxTree::Value::end() const { return {tree_, 0}; }

SyntaxTree::Value SyntaxTree::Value::member(std::string_view name) const {
  if (!is_object()) return {};
  for (const Value one : *this)
    if (one.key() == name) return one;
  return {};
}

SyntaxTree::Value SyntaxTree::Value::at(std::string_view name) const {
  const Value found = member(name);
  if (!found) throw UnexpectedSyntax();
  return found;
}

std::string SyntaxTree::Value::text() const {
  if (!is_text()) throw UnexpectedSyntax();
  const std::string_view raw = entry().raw;
  if (raw.find('\\') != raw.npos) return JsonView::of_proven(raw).text();
  return std::string(raw.substr(1, raw.size() - 2));
}

std::string SyntaxTree::Value::text(std::string_view name) const {
  if (!is_object()) throw UnexpectedSyntax();
  const Value found = member(name);
  return found ? found.text() : "";
}

}  // namespace ba::sql
