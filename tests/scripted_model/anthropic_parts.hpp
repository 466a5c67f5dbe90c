#pragma once
// SPDX-License-Identifier: Apache-2.0
// The parts that several places of a Messages request have in common. Pure functions, apart from
// what they count in the request.

#include <span>
#include <string_view>

#include "tests/scripted_model/rejection.hpp"
#include "tests/scripted_model/request.hpp"

namespace ba::scripted::anthropic {

/// An object with no members but these.
Refusal check_only(const JsonValue& object, std::span<const std::string_view> allowed,
                   const Place& place);

/// A text of nothing but white space.
bool is_blank(const JsonValue& text);

/// The block's cache_control, if it has one; at most four in a request.
Refusal check_cache_control(const JsonValue& block, const Place& place, Request& request);

/// A text block.
Refusal check_text(const JsonValue& block, const Place& place, Request& request);

/// A string or a list of text blocks, neither blank.
Refusal check_plain_content(const JsonValue& content, const Place& place, Request& request);

}  // namespace ba::scripted::anthropic
