#pragma once
// SPDX-License-Identifier: Apache-2.0
// Writes PostgreSQL array literals ("{1,2}", "{\"a\",NULL}"), so that one statement carries the
// values of many rows: `… FROM unnest($1::bigint[], $2::text[])`. Values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ba {

class ArrayLiteral {
 public:
  void add(std::int64_t number);
  void add(int number) { add(static_cast<std::int64_t>(number)); }
  void add(bool value);
  void add(std::string_view text);  ///< UTF-8; a NUL byte can't be stored, see holds_nul()
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(const char* text) { add(std::string_view(text)); }
  void add_bytes(std::string_view bytes);  ///< for bytea[]
  void add_null();

  template <typename T>
  void add(const std::optional<T>& value) {
    value ? add(*value) : add_null();
  }

  /// Whether some text held a NUL byte, at which the literal would end too early.
  bool holds_nul() const { return holds_nul_; }
  std::size_t bytes() const { return text_.size(); }

  /// The literal so far.
  std::string str() const { return text_.empty() ? "{}" : text_ + '}'; }

 private:
  void separate() { text_ += text_.empty() ? '{' : ','; }

  std::string text_;
  bool holds_nul_ = false;
};

/// The bytes as PostgreSQL writes and reads a bytea: "\x" and two lower-case digits each.
std::string hex_of_bytes(std::string_view bytes);

/// The bytes of a bytea in PostgreSQL's hex output ("\x6162"); empty for anything else.
std::string bytes_of_hex(std::string_view text);

}  // namespace ba
