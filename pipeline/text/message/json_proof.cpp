// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/json_proof.hpp"

#include <string>

#include "pipeline/base/decimal.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

/// Proves one text. The position is left where the problem is.
class Prover {
 public:
  Prover(std::string_view text, int depth_max)
      : begin_(text.data()), at_(begin_), end_(at_ + text.size()), depth_max_(depth_max) {}

  bool document() {
    skip_space();
    if (!value(0)) return false;
    skip_space();
    return at_ == end_ || fail("data after the JSON value");
  }

  std::string problem() const {
    return std::string(problem_) + " at byte " + std::to_string(at_ - begin_);
  }

 private:
  bool fail(const char* what) {
    problem_ = what;
    return false;
  }

  void skip_space() {
    while (at_ != end_ && is_json_space(*at_)) ++at_;
  }

  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  bool value(int depth) {
    if (at_ == end_) return fail("the JSON ends early");
    switch (*at_) {
      case '{':
        return depth < depth_max_ ? object(depth + 1) : fail("nested too deeply");
      case '[':
        return depth < depth_max_ ? array(depth + 1) : fail("nested too deeply");
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  bool object(int depth) {
    ++at_;
    skip_space();
    if (take('}')) return true;
    for (;;) {
      if (at_ == end_ || *at_ != '"') return fail("a member's name is missing");
      if (!string()) return false;
      skip_space();
      if (!take(':')) return fail("':' is missing");
      skip_space();
      if (!value(depth)) return false;
      skip_space();
      if (take('}')) return true;
      if (!take(',')) return fail("',' or '}' is missing");
      skip_space();
    }
  }

  bool array(int depth) {
    ++at_;
    skip_space();
    if (take(']')) return true;
    for (;;) {
      if (!value(depth)) return false;
      skip_space();
      if (take(']')) return true;
      if (!take(',')) return fail("',' or ']' is missing");
      skip_space();
    }
  }

  bool string() {
    ++at_;
    for (;;) {
      at_ = after_plain(at_, end_);
      if (at_ == end_) return fail("the JSON ends within a string");
      if (take('"')) return true;
      if (*at_ != '\\') return fail("a control character in a string");
      if (!escape()) return false;
    }
  }

  bool escape() {
    ++at_;
    if (at_ == end_) return fail("the JSON ends within a string");
    if (*at_ != 'u') {
      if (std::string_view("\"\\/bfnrt").find(*at_) == std::string_view::npos)
        return fail("an unknown escape");
      ++at_;
      return true;
    }
    ++at_;
    const int unit = utf16_unit_at(at_, end_);
    if (unit < 0) return fail("a broken \\u escape");
    if (is_low_surrogate(unit)) return fail("a lone surrogate");
    at_ += 4;
    if (!is_high_surrogate(unit)) return true;
    if (end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u' ||
        !is_low_surrogate(utf16_unit_at(at_ + 2, end_)))
      return fail("a lone surrogate");
    at_ += 6;
    return true;
  }

  bool word(std::string_view expected) {
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, expected.size()) !=
        expected)
      return fail("an unknown word");
    at_ += expected.size();
    return true;
  }

  bool digits() {
    if (at_ == end_ || !is_json_digit(*at_)) return fail("not a JSON value");
    while (at_ != end_ && is_json_digit(*at_)) ++at_;
    return true;
  }

  bool number() {
    const char* const begin = at_;
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    // RFC 8259 §6 lets a reader set limits.
    const char* const problem = number_problem({begin, static_cast<std::size_t>(at_ - begin)});
    return problem == nullptr || fail(problem);
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  int depth_max_;
  const char* problem_ = "";
};

}  // namespace

std::optional<std::string> json_problem(std::string_view text, int depth_max) {
  if (const auto defect = utf8_defect(text)) return describe_utf8_defect(text, *defect);
  Prover prover(text, depth_max);
  if (!prover.document()) return prover.problem();
  return std::nullopt;
}

}  // namespace ba
