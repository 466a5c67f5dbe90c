#pragma once
// SPDX-License-Identifier: Apache-2.0
// JSON as text: its bytes, writing strings, and whether a text is JSON that can be stored. Pure
// functions.

#include <cstdint>
#include <string>
#include <string_view>

namespace ba {

// The bytes of JSON (RFC 8259), for those that prove, read and write it.

constexpr bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
constexpr bool is_json_digit(char c) { return c >= '0' && c <= '9'; }

/// The first quote, backslash or control character at or after `at`, or `end`.
const char* after_plain(const char* at, const char* end);

/// The value of the four hex digits at `at`; -1 if they aren't four, or no hex digits.
int utf16_unit_at(const char* at, const char* end);

constexpr bool is_high_surrogate(int unit) { return unit >= 0xd800 && unit <= 0xdbff; }
constexpr bool is_low_surrogate(int unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

/// Appends `text`, which must be UTF-8, as a JSON string; only what must be escaped is.
void append_json_string(std::string& out, std::string_view text);

/// Whether it is one JSON value (RFC 8259) in storable UTF-8, without a byte order mark.
bool is_json(std::string_view text);
bool is_json_object(std::string_view text);

/// Writes one JSON object into a text, member by member; closed when it is destroyed.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;
  ~ObjectWriter() { out_ += '}'; }

  /// Where the value is to be appended.
  std::string& member(std::string_view name) {
    separate();
    append_json_string(out_, name);
    out_ += ':';
    return out_;
  }
  void text(std::string_view name, std::string_view value) {
    append_json_string(member(name), value);
  }
  void text_if_any(std::string_view name, std::string_view value) {
    if (!value.empty()) text(name, value);
  }
  void raw(std::string_view name, std::string_view json) { member(name) += json; }
  void number(std::string_view name, std::int64_t value) { raw(name, std::to_string(value)); }
  /// `"name":value,…`, or nothing.
  void members(std::string_view json) {
    if (json.empty()) return;
    separate();
    out_ += json;
  }

 private:
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }

  std::string& out_;
  bool first_ = true;
};

/// Where the next element of an array that is being written begins: "[" stands before the first.
inline std::string& next_element(std::string& array) {
  if (array.size() > 1) array += ',';
  return array;
}

/// Appends what the escape stands for that `text` begins with; its length, 0 where there is none.
std::size_t append_unescaped(std::string_view text, std::string& out);

}  // namespace ba
