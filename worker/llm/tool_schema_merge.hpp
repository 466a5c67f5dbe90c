#pragma once
// SPDX-License-Identifier: Apache-2.0
// Two schemas as one, which allows what both allow, or what either allows; where one schema can't
// say that, it allows more. Pure; any thread.

#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace ba {

/// Both hold. What stands in the way of one schema is left out of `more`.
nlohmann::ordered_json conjoined(nlohmann::ordered_json schema, const nlohmann::ordered_json& more);

/// No value is of both, by their types.
bool exclude_each_other(const nlohmann::ordered_json& one, const nlohmann::ordered_json& other);

/// At least one of them holds; they aren't empty.
nlohmann::ordered_json either_of(const std::vector<nlohmann::ordered_json>& schemas);

}  // namespace ba
