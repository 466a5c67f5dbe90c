#pragma once
// SPDX-License-Identifier: Apache-2.0
// JSON as text: writing strings, and finding the parts of a text that is known to be valid without
// rewriting them, so that what a model sent stays as it was, byte for byte. Pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ba {

/// Appends `text`, which must be UTF-8, as a JSON string; only what must be escaped is.
void append_json_string(std::string& out, std::string_view text);

/// Whether it is one JSON value (RFC 8259) in storable UTF-8, without a byte order mark.
bool is_json(std::string_view text);
bool is_json_object(std::string_view text);

/// The members of a valid JSON object, names and values as they stand in the text; empty for a
/// valid text that is no object.
using RawMembers = std::vector<std::pair<std::string_view, std::string_view>>;
RawMembers raw_members(std::string_view object);

/// The elements of a valid JSON array as they stand; empty for a valid text that is no array.
std::vector<std::string_view> raw_elements(std::string_view array);

/// The text of a valid JSON string (with its quotes); none for another value and for a string with
/// a NUL character.
std::optional<std::string> string_of(std::string_view raw);

/// The value of a valid JSON number that is an integer of 64 bits.
std::optional<std::int64_t> integer_of(std::string_view raw);

}  // namespace ba
