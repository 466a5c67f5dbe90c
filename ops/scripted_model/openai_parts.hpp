#pragma once
// SPDX-License-Identifier: Apache-2.0
// The parts that several places of a chat completions request have in common. Pure functions.

#include <span>
#include <string_view>

#include "ops/scripted_model/json_view.hpp"
#include "ops/scripted_model/rejection.hpp"

namespace ba::scripted::openai {

/// An object with no members but these.
Refusal check_only(const JsonValue& object, std::span<const std::string_view> allowed,
                   const Place& place);

/// A string or a list of text parts.
Refusal check_content(const JsonValue& content, const Place& place);

}  // namespace ba::scripted::openai
