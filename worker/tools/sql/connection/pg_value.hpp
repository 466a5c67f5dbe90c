#pragma once
// SPDX-License-Identifier: Apache-2.0
// A value as PostgreSQL writes it, as JSON. Integers and booleans are what they are; a numeric is a
// number with its digits, NaN and infinities are strings; json stays json; dates and timestamps are
// ISO 8601, as precise as they are, with a zone where the type has one; bytea is
// {"bytes":3,"sha256":"…"}; arrays of such types are arrays; everything else is its text. Pure; any
// thread.

#include <string>
#include <string_view>
#include <utility>

namespace ba {

/// What a session sets so that its values can be read here, whatever the server's settings, and so
/// that strings are what the SQL guards take them for. Names and values of PostgreSQL.
inline constexpr std::pair<const char*, const char*> kReadableSettings[]{
    {"standard_conforming_strings", "on"},
    {"DateStyle", "ISO, YMD"},
    {"IntervalStyle", "postgres"},
    {"TimeZone", "UTC"},
    {"bytea_output", "hex"},
    {"extra_float_digits", "1"}};

/// The same as statements: "SET DateStyle = 'ISO, YMD'; …".
std::string readable_formats();

/// `type` is the OID of the value's type. The text must be written with kReadableSettings.
std::string pg_value_as_json(std::string_view text, unsigned type);

/// Any text as a JSON string; broken UTF-8 is replaced by U+FFFD.
std::string json_quoted(std::string_view text);

}  // namespace ba
