#pragma once
// SPDX-License-Identifier: Apache-2.0
// JSON as it comes from a server, which may have any shape: looked at through functions that never
// throw. Order is kept, so that what is shown is what was sent. Pure; any thread.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ba::mcp {

using Json = nlohmann::ordered_json;

/// None for what isn't JSON, or is nested or wide beyond the limits of
/// pipeline/core/tool/json_shape.
std::optional<Json> parse_json(std::string_view text);

/// On one line; bytes that aren't UTF-8 are replaced.
std::string compact(const Json& value);

/// Null where there is no such member, or `object` is none.
const Json* member(const Json& object, std::string_view name);

std::optional<std::string> text_member(const Json& object, std::string_view name);
std::optional<std::int64_t> integer_member(const Json& object, std::string_view name);
bool flag_member(const Json& object, std::string_view name, bool otherwise);

/// At most `bytes_max` of it, cut between characters, well-formed, without control and invisible
/// characters other than line ends and tabs, and joiners where a script is written with them.
std::string plain_text(std::string_view text, std::size_t bytes_max);

/// The same with spaces for line ends and tabs: for a name in a line or a table, where a line of
/// its own would be taken for one of ours.
std::string plain_line(std::string_view text, std::size_t bytes_max);

}  // namespace ba::mcp
