#pragma once
// SPDX-License-Identifier: Apache-2.0
// The top of a tool's schema as one plain object: what alternatives have is put together. Pure; any
// thread.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

/// Without allOf, anyOf, oneOf, not, enum and const, with type and properties. The schema may be an
/// object's and refers to nothing. `notes` get, for the model, which parameters go together.
void make_plain_top(nlohmann::ordered_json& schema, std::vector<std::string>& notes);

/// The parameters that only conditions and dependencies name, among the others.
void add_conditional_properties(nlohmann::ordered_json& schema);

/// Where the schemas of the keyword were made wider and the whole would be narrower for it, it
/// goes, or becomes one that allows more: of "not", "if", "oneOf" and "contains".
void loosen(nlohmann::ordered_json& schema, std::string_view key);

}  // namespace ba
