#pragma once
// SPDX-License-Identifier: Apache-2.0
// The type of one schema, in the form that a provider takes. Pure; any thread.

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "worker/llm/tool_rules.hpp"

namespace ba {

/// Whether its own "type" names it.
bool may_be(const nlohmann::ordered_json& schema, std::string_view type);

/// Alternatives beside a type: it is that of each that says none, and stands there alone.
void move_type_in(nlohmann::ordered_json& schema);

/// "type" as the rules want it. Types that aren't JSON Schema's go.
void fit_types(nlohmann::ordered_json& schema, const ToolRules& rules);

/// One that says neither a type nor alternatives gets the type of its values, or that its keywords
/// speak of, else all.
void say_type(nlohmann::ordered_json& schema, const ToolRules& rules);

/// Where the type is one text: without keywords and formats of others, which some providers refuse.
void drop_of_other_types(nlohmann::ordered_json& schema, const ToolRules& rules);

}  // namespace ba
