#pragma once
// SPDX-License-Identifier: Apache-2.0
// The values that a schema names (enum, const, bounds, defaults), as a provider takes them. Numbers
// may be kept as written (exact_json.hpp). Pure; any thread.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "worker/llm/tool_rules.hpp"

namespace ba {

/// As JSON Schema compares: numbers by their value, however they are written.
bool same_value(const nlohmann::ordered_json& one, const nlohmann::ordered_json& other);

/// Whether a list has the value.
bool holds(const nlohmann::ordered_json& list, const nlohmann::ordered_json& value);

/// Whether it is of the type of JSON Schema; 2.0 is an integer.
bool is_of_type(const nlohmann::ordered_json& value, std::string_view type);

/// One line of JSON, cut where it is long.
std::string shown_value(const nlohmann::ordered_json& value);

/// Types of the values that are all that the schema allows, a text or a list; null: it doesn't say.
nlohmann::ordered_json types_of_values(const nlohmann::ordered_json& schema);

/// Lists of values hold each once, and what the rules allow; numbers that no double holds go with
/// their keyword, since servers can't read them. `notes` get the values that can't stand.
void fit_values(nlohmann::ordered_json& schema, const ToolRules& rules,
                std::vector<std::string>& notes);

}  // namespace ba
