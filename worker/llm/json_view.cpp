// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/json_view.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "pipeline/message/utf8.hpp"

namespace ba {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Bytes that end the plain part of a string: quote, backslash, control characters.
constexpr std::array<bool, 256> kStringStops = [] {
  std::array<bool, 256> stops{};
  for (std::size_t c = 0; c < 0x20; ++c) stops[c] = true;
  stops['"'] = stops['\\'] = true;
  return stops;
}();

bool stops(char c) { return kStringStops[static_cast<unsigned char>(c)]; }

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighBits = 0x8080808080808080;

/// A high bit is set where a byte of `block` is less than `limit`, at most 0x80; or in a byte after
/// one that is.
constexpr std::uint64_t less(std::uint64_t block, unsigned limit) {
  return (block - kOnes * limit) & ~block & kHighBits;
}

/// The first stop at or after `at`, or `end`. Texts are mostly plain: eight bytes at a time.
const char* skip_plain(const char* at, const char* end) {
  for (; end - at >= 8; at += 8) {
    std::uint64_t block;
    std::memcpy(&block, at, sizeof block);
    const std::uint64_t quotes = less(block ^ kOnes * '"', 1);
    const std::uint64_t backslashes = less(block ^ kOnes * '\\', 1);
    if ((quotes | backslashes | less(block, 0x20)) != 0) break;
  }
  while (at != end && !stops(*at)) ++at;
  return at;
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The four hex digits at `at`, or -1.
int unit_at(const char* at, const char* end) {
  if (end - at < 4) return -1;
  int unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_value(at[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

bool high_surrogate(int unit) { return unit >= 0xd800 && unit <= 0xdbff; }
bool low_surrogate(int unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

/// Proves one text. The position is left where the problem is.
class Prover {
 public:
  explicit Prover(std::string_view text)
      : begin_(text.data()), at_(begin_), end_(at_ + text.size()) {}

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
    while (at_ != end_ && is_space(*at_)) ++at_;
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
        return depth < JsonView::kDepthMax ? object(depth + 1) : fail("nested too deeply");
      case '[':
        return depth < JsonView::kDepthMax ? array(depth + 1) : fail("nested too deeply");
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
      at_ = skip_plain(at_, end_);
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
    const int unit = unit_at(at_, end_);
    if (unit < 0) return fail("a broken \\u escape");
    if (low_surrogate(unit)) return fail("a lone surrogate");
    at_ += 4;
    if (!high_surrogate(unit)) return true;
    if (end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u' || !low_surrogate(unit_at(at_ + 2, end_)))
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

  static constexpr std::ptrdiff_t kDigitsOfAnyDouble = 300;  // the greatest is 1.8 * 10^308

  bool digits() {
    if (at_ == end_ || !is_digit(*at_)) return fail("not a JSON value");
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return true;
  }

  bool number() {
    const char* const begin = at_;
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    bool may_be_huge = at_ - begin > kDigitsOfAnyDouble;
    if (take('e') || take('E')) {
      const bool tiny = !take('+') && take('-');
      if (!digits()) return false;
      may_be_huge = may_be_huge || !tiny;
    }
    // RFC 8259 §6 lets a reader set limits; what no double holds nobody behind this can read.
    double value = 0;
    return !may_be_huge || std::from_chars(begin, at_, value).ec == std::errc{} ||
           fail("a number beyond what a double holds");
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  const char* problem_ = "";
};

// What follows works on proven JSON: every string and bracket has its end.

/// The place after the string that starts at `at`.
const char* after_string(const char* at, const char* end) {
  at = skip_plain(at + 1, end);
  while (*at != '"') at = skip_plain(at + 2, end);  // past a backslash and what it escapes
  return at + 1;
}

/// The place after the object or array that starts at `at`.
const char* after_brackets(const char* at, const char* end) {
  for (int depth = 0;;) {
    const char c = *at;
    if (c == '"') {
      at = after_string(at, end);
      continue;
    }
    ++at;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return at;
  }
}

const char* after_value(const char* at, const char* end) {
  if (*at == '"') return after_string(at, end);
  if (*at == '{' || *at == '[') return after_brackets(at, end);
  while (at != end && !is_space(*at) && *at != ',' && *at != '}' && *at != ']') ++at;
  return at;
}

void append_code_point(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

/// Appends what the escape at `at` (after the backslash) stands for; returns the place after it.
const char* append_escape(const char* at, const char* end, std::string& out) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (*at != 'u') {
    out += kMeanings[kNames.find(*at)];
    return at + 1;
  }
  auto code = static_cast<unsigned>(unit_at(at + 1, end));
  at += 5;
  if (high_surrogate(static_cast<int>(code))) {
    const auto low = static_cast<unsigned>(unit_at(at + 2, end));
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    at += 6;
  }
  append_code_point(out, code);
  return at;
}

std::string_view without_space(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

Error bad_json(std::string problem) {
  Error error;
  error.code = ErrorCode::Protocol;
  error.message = std::move(problem);
  return error;
}

}  // namespace

Result<JsonView> JsonView::parse(std::string_view text) {
  if (const auto defect = utf8_defect(text)) return bad_json(describe_utf8_defect(text, *defect));
  Prover prover(text);
  if (!prover.document()) return bad_json(prover.problem());
  return JsonView(without_space(text));
}

JsonKind JsonView::kind() const {
  if (raw_.empty()) return JsonKind::Missing;
  switch (raw_.front()) {
    case '{':
      return JsonKind::Object;
    case '[':
      return JsonKind::Array;
    case '"':
      return JsonKind::String;
    case 't':
    case 'f':
      return JsonKind::Bool;
    case 'n':
      return JsonKind::Null;
    default:
      return JsonKind::Number;
  }
}

JsonView JsonView::operator[](std::string_view key) const {
  JsonView found;
  for_each_member([&](std::string_view name, JsonView value) {
    if (name == key) found = value;
  });
  return found;
}

std::string JsonView::text() const {
  std::string out;
  append_text(out);
  return out;
}

void JsonView::append_text(std::string& out) const {
  if (!is(JsonKind::String)) return;
  const char* at = raw_.data() + 1;
  const char* const end = raw_.data() + raw_.size() - 1;
  while (at != end) {
    const char* plain = at;
    at = skip_plain(at, end);
    out.append(plain, at);
    if (at != end) at = append_escape(at + 1, end, out);
  }
}

bool JsonView::equals(std::string_view text) const {
  return is(JsonKind::String) && raw_.substr(1, raw_.size() - 2) == text;
}

std::optional<std::int64_t> JsonView::integer() const {
  if (!is(JsonKind::Number)) return std::nullopt;
  const char* const end = raw_.data() + raw_.size();
  std::int64_t number = 0;
  const auto whole = std::from_chars(raw_.data(), end, number);
  if (whole.ec == std::errc() && whole.ptr == end) return number;
  double real = 0;
  const auto parsed = std::from_chars(raw_.data(), end, real);
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (parsed.ec != std::errc() || std::fabs(real) > kExact || real != std::floor(real))
    return std::nullopt;
  return static_cast<std::int64_t>(real);
}

bool JsonView::Walk::at_end() {
  while (is_space(*at_) || *at_ == ',') ++at_;
  return *at_ == '}' || *at_ == ']';
}

bool JsonView::Walk::next_member(std::string_view& key, JsonView& value) {
  if (at_end()) return false;
  const char* const after = after_string(at_, end_);
  key = std::string_view(at_ + 1, static_cast<std::size_t>(after - at_ - 2));
  at_ = after;
  while (is_space(*at_) || *at_ == ':') ++at_;
  return next_element(value);
}

bool JsonView::Walk::next_element(JsonView& value) {
  if (at_end()) return false;
  const char* const after = after_value(at_, end_);
  value = JsonView(std::string_view(at_, static_cast<std::size_t>(after - at_)));
  at_ = after;
  return true;
}

}  // namespace ba
