// SPDX-License-Identifier: Apache-2.0
// The reading half of json_view.hpp.
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>

#include "tests/scripted_model/flat_json.hpp"
#include "tests/scripted_model/utf8_cut.hpp"

namespace ba::scripted {

namespace {

constexpr int kDepthMax = 128;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Moves `at` over whole words of eight bytes that hold neither a quote nor a backslash nor a
/// control character. (A byte of `x` is zero where (x - 0x01..) & ~x has its top bit set.)
const char* skip_plain_words(const char* at, const char* end) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kTops = 0x8080808080808080U;
  while (end - at >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    const std::uint64_t quote = word ^ (kOnes * '"');
    const std::uint64_t slash = word ^ (kOnes * '\\');
    const std::uint64_t found =
        ((quote - kOnes) & ~quote) | ((slash - kOnes) & ~slash) | ((word - kOnes * 0x20) & ~word);
    if ((found & kTops) != 0) break;
    at += sizeof word;
  }
  return at;
}

}  // namespace

/// The recursive reader behind JsonDocument::parse().
class JsonReader {
 public:
  explicit JsonReader(JsonDocument& document)
      : document_(document),
        begin_(document.text_.data()),
        at_(begin_),
        end_(begin_ + document.text_.size()) {}

  bool read_all() {
    skip_space();
    if (!read_value(0, 0, 0)) return false;
    skip_space();
    return at_ == end_ || fail("text after the value");
  }

 private:
  using Node = JsonDocument::Node;

  bool fail(const char* problem) {
    document_.problem_ = problem;
    document_.problem_at_ = offset();
    return false;
  }

  std::uint32_t offset() const { return static_cast<std::uint32_t>(at_ - begin_); }

  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  bool read_value(int depth, std::uint32_t key_begin, std::uint32_t key_end) {
    if (at_ == end_) return fail("a value is missing");
    if (depth > kDepthMax) return fail("too many levels");
    const auto index = static_cast<std::uint32_t>(document_.nodes_.size());
    Node node;
    node.begin = offset();
    node.key_begin = key_begin;
    node.key_end = key_end;
    document_.nodes_.push_back(node);
    if (!read_content(index, depth)) return false;
    document_.nodes_[index].end = offset();
    document_.nodes_[index].after = static_cast<std::uint32_t>(document_.nodes_.size());
    return true;
  }

  bool read_content(std::uint32_t index, int depth) {
    switch (*at_) {
      case '{':
        return read_object(index, depth);
      case '[':
        return read_array(index, depth);
      case '"':
        document_.nodes_[index].kind = JsonKind::String;
        return read_string(document_.nodes_[index].escaped);
      case 't':
        return read_word(index, "true", JsonKind::True);
      case 'f':
        return read_word(index, "false", JsonKind::False);
      case 'n':
        return read_word(index, "null", JsonKind::Null);
      default:
        document_.nodes_[index].kind = JsonKind::Number;
        return read_number();
    }
  }

  bool read_object(std::uint32_t index, int depth) {
    document_.nodes_[index].kind = JsonKind::Object;
    ++at_;
    if (take('}')) return true;
    std::uint32_t count = 0;
    do {
      skip_space();
      if (at_ == end_ || *at_ != '"') return fail("a member's name is missing");
      const std::uint32_t key_begin = offset() + 1;
      bool escaped = false;
      if (!read_string(escaped)) return false;
      const std::uint32_t key_end = offset() - 1;
      if (!take(':')) return fail("':' is missing");
      skip_space();
      if (!read_value(depth + 1, key_begin, key_end)) return false;
      ++count;
    } while (take(','));
    document_.nodes_[index].count = count;
    return take('}') || fail("'}' is missing");
  }

  bool read_array(std::uint32_t index, int depth) {
    document_.nodes_[index].kind = JsonKind::Array;
    ++at_;
    if (take(']')) return true;
    std::uint32_t count = 0;
    do {
      skip_space();
      if (!read_value(depth + 1, 0, 0)) return false;
      ++count;
    } while (take(','));
    document_.nodes_[index].count = count;
    return take(']') || fail("']' is missing");
  }

  bool read_word(std::uint32_t index, std::string_view word, JsonKind kind) {
    document_.nodes_[index].kind = kind;
    if (static_cast<std::size_t>(end_ - at_) < word.size() ||
        std::memcmp(at_, word.data(), word.size()) != 0) {
      return fail("an unknown word");
    }
    at_ += word.size();
    return true;
  }

  bool read_digits() {
    if (at_ == end_ || !is_digit(*at_)) return fail("not a number");
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return true;
  }

  bool read_number() {
    if (*at_ == '-') ++at_;
    if (at_ != end_ && *at_ == '0') {
      ++at_;
    } else if (!read_digits()) {
      return false;
    }
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      if (!read_digits()) return false;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!read_digits()) return false;
    }
    return true;
  }

  bool read_string(bool& escaped) {
    at_ = skip_plain_words(at_ + 1, end_);
    for (; at_ != end_; ++at_) {
      const char c = *at_;
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return fail("a control character in a string");
      if (c != '\\') continue;
      escaped = true;
      if (!read_escape()) return false;
    }
    return fail("a string without end");
  }

  bool read_escape() {
    if (++at_ == end_) return fail("a string without end");
    if (*at_ != 'u') {
      return std::strchr("\"\\/bfnrt", *at_) != nullptr || fail("an unknown escape");
    }
    unsigned code = 0;
    if (!read_code(code)) return false;
    if (code >= 0xDC00 && code < 0xE000) return fail("half a surrogate pair");
    if (code < 0xD800 || code >= 0xDC00) return true;
    if (end_ - at_ < 3 || at_[1] != '\\' || at_[2] != 'u') return fail("half a surrogate pair");
    at_ += 2;
    if (!read_code(code)) return false;
    return (code >= 0xDC00 && code < 0xE000) || fail("half a surrogate pair");
  }

  // At the 'u'; afterwards at the last hex digit.
  bool read_code(unsigned& code) {
    if (end_ - at_ < 5) return fail("a string without end");
    for (int i = 1; i <= 4; ++i) {
      if (!is_hex(at_[i])) return fail("an unknown escape");
    }
    std::from_chars(at_ + 1, at_ + 5, code, 16);
    at_ += 4;
    return true;
  }

  JsonDocument& document_;
  const char* begin_;
  const char* at_;
  const char* end_;
};

bool JsonDocument::parse(std::string_view text) {
  text_ = text;
  nodes_.clear();
  problem_ = nullptr;
  problem_at_ = 0;
  if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    problem_ = "too long";
    return false;
  }
  if (!is_utf8(text)) {
    problem_ = "not valid UTF-8";
    return false;
  }
  return JsonReader(*this).read_all();
}

std::string JsonDocument::problem() const {
  if (problem_ == nullptr) return {};
  return std::string(problem_) + " at byte " + std::to_string(problem_at_);
}

}  // namespace ba::scripted
