#pragma once
// SPDX-License-Identifier: Apache-2.0
// JSON as text: its bytes, writing strings, and whether a text is JSON that can be stored. Pure
// functions.

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

}  // namespace ba
