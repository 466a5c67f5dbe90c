#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a text must be to be stored: strict UTF-8 without NUL (PostgreSQL's text can't hold it).
// Pure functions, any thread.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ba {

/// Offset of the first byte that is not well-formed UTF-8 (RFC 3629: no overlong forms, no
/// surrogates, at most U+10FFFF) or is NUL; none when the text is good.
std::optional<std::size_t> utf8_defect(std::string_view text);

/// The defect in words: "byte 12 is no valid UTF-8" or "byte 12 is a NUL character".
std::string describe_utf8_defect(std::string_view text, std::size_t offset);

/// Length of the well-formed character at the start of a text that isn't empty; 0: none, or NUL.
std::size_t utf8_sequence_length(std::string_view text);

/// The text with U+FFFD for each byte that has no place in it.
std::string storable(std::string_view text);

/// Number of code points of well-formed UTF-8.
std::size_t code_points(std::string_view text);

/// The first `bytes_max` bytes, or up to three fewer, so that no character is cut.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max);

/// Appends the UTF-8 of a code point.
void append_code_point(std::string& out, char32_t point);

/// Whether the text has a control character (U+0000 to U+001F, U+007F to U+009F).
bool has_control_character(std::string_view text);

}  // namespace ba
