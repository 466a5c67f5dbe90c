#pragma once
// SPDX-License-Identifier: Apache-2.0
// A value as PostgreSQL writes it, as JSON. Integers and booleans are what they are; a numeric is a
// number where a double holds it exactly, else a string; json stays json; timestamps are ISO 8601;
// arrays of such types are arrays; everything else is its text. Pure; any thread.

#include <string>
#include <string_view>

namespace ba {

/// `type` is the OID of the value's type. The text must be written with DateStyle ISO.
std::string pg_value_as_json(std::string_view text, unsigned type);

/// Any text as a JSON string; broken UTF-8 is replaced by U+FFFD.
std::string json_quoted(std::string_view text);

}  // namespace ba
