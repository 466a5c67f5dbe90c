#pragma once
// SPDX-License-Identifier: Apache-2.0
// The parts that several places of chat completions and responses requests have in common. Pure
// functions.

#include <span>
#include <string>
#include <string_view>

#include "tests/scripted_model/flat_json.hpp"
#include "tests/scripted_model/headers.hpp"
#include "tests/scripted_model/rejection.hpp"

namespace ba::scripted::openai {

/// With a non-empty key the request must carry it.
Refusal check_headers(const RequestHeaders& headers, std::string_view api_key);

/// A number of the root from `low` to `high`, null or nothing.
Refusal check_range(const JsonValue& root, std::string_view name, double low, double high);

/// The text of a function call's arguments: JSON of an object. `document` and `text` are memory.
Refusal check_arguments(const JsonValue& arguments, const Place& place, JsonDocument& document,
                        std::string& text);

/// An object with no members but these.
Refusal check_only(const JsonValue& object, std::span<const std::string_view> allowed,
                   const Place& place);

/// A string or a list of text parts.
Refusal check_content(const JsonValue& content, const Place& place);

}  // namespace ba::scripted::openai
