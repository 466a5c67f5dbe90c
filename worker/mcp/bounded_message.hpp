#pragma once
// SPDX-License-Identifier: Apache-2.0
// A server's message whose JSON is nested or wide beyond what is read
// (pipeline/core/tool/json_shape): what is within the limits is read, what is not is kept as its
// text, so that a call whose answer is oddly shaped has one. Nothing here recurses deeper than a
// message's own parts. Pure; any thread.

#include <optional>
#include <string_view>

#include "worker/mcp/json.hpp"

namespace ba::mcp {

/// In the `_meta` of a result of which a part is a text that the server didn't write as one.
inline constexpr const char* kKeptAsText = "ba-agent/kept_as_text";

/// Of a JSON object: id, method, params, result and error. Structured content, an item of the
/// content, a tool's schema and any other part are a text each where they are beyond the limits. A
/// result that is itself too wide is one of text: {"content": …}. None for what is no JSON object.
std::optional<Json> parse_bounded_message(std::string_view text);

}  // namespace ba::mcp
