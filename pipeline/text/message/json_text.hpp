#pragma once
// SPDX-License-Identifier: Apache-2.0
// JSON as text: writing strings, and whether a text is JSON that can be stored. Pure functions.

#include <string>
#include <string_view>

namespace ba {

/// Appends `text`, which must be UTF-8, as a JSON string; only what must be escaped is.
void append_json_string(std::string& out, std::string_view text);

/// Whether it is one JSON value (RFC 8259) in storable UTF-8, without a byte order mark.
bool is_json(std::string_view text);
bool is_json_object(std::string_view text);

}  // namespace ba
