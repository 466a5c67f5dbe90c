#pragma once
// SPDX-License-Identifier: Apache-2.0
// Numbers of arguments against a schema by their exact value. The validator knows 64-bit integers
// and doubles alone: it is shown the nearest of those, and what it can't tell apart is looked at
// here. Pure; any thread.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace ba {

/// `value` with numbers that the validator can read; a whole one that fits is an integer.
nlohmann::json judged_numbers(const nlohmann::ordered_json& value);

/// `schema` for the validator, to which an integer beyond 64 bits is a double.
nlohmann::json judging_schema(nlohmann::ordered_json schema);

/// Looks at the numbers that a double can't tell from others, where `properties`, `items` and
/// references lead to the rule. What is wrong, for a model: "a.b: 9007199254740993 is not allowed;
/// expected at most 9007199254740992".
std::optional<std::string> inexact_misfit(const nlohmann::ordered_json& schema,
                                          const nlohmann::ordered_json& arguments);

/// A whole number that is kept as written, 1e3 or 5.00, becomes the integer that it is where the
/// schema asks for one.
void make_integers(const nlohmann::ordered_json& schema, nlohmann::ordered_json& arguments);

}  // namespace ba
