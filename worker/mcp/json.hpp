// SPDX-License-Identifier: Apache-2.0
#pragma once
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

/// In the `_meta` of a result of which a part is a text that the server didn't write as one.
inline constexpr const char* kKeptAsText = "ba-agent/kept_as_text";

/// A message whose JSON is nested or wide beyond what is read (pipeline/core/tool/json_shape): what
/// is within the limits is read, what is not is kept as its text, so that a call whose answer is
/// oddly shaped has one. Of a JSON object: id, method, params, result and error. Structured
/// content, an item of the content, a tool's schema and any other part are a text each where they
/// are beyond the limits. A result that is itself too wide is one of text: {"content": …}. None for
/// what is no JSON object.
std::optional<Json> parse_bounded_message(std::string_view text);

}  // namespace ba::mcp
