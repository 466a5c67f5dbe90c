#pragma once
// SPDX-License-Identifier: Apache-2.0
// The bytes of JSON texts (RFC 8259), for those that prove, read and write them. Pure functions.

namespace ba {

constexpr bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
constexpr bool is_json_digit(char c) { return c >= '0' && c <= '9'; }

/// The first quote, backslash or control character at or after `at`, or `end`.
const char* after_plain(const char* at, const char* end);

/// The value of the four hex digits at `at`; -1 if they aren't four, or no hex digits.
int utf16_unit_at(const char* at, const char* end);

constexpr bool is_high_surrogate(int unit) { return unit >= 0xd800 && unit <= 0xdbff; }
constexpr bool is_low_surrogate(int unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

}  // namespace ba
