#pragma once
// SPDX-License-Identifier: Apache-2.0
// Writes JSON as text, and cuts texts into the pieces of a stream. Pure functions.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ba::scripted {

/// Appends `text` (UTF-8) as a JSON string with its quotes.
void append_json(std::string& out, std::string_view text);
void append_json(std::string& out, std::int64_t number);

/// Calls `take` with pieces of changing small length that together make up `text`, none of which
/// cuts a character in two. None for an empty text.
void split_pieces(std::string_view text, const std::function<void(std::string_view)>& take);

}  // namespace ba::scripted
