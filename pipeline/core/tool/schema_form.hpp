#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether a JSON Schema has the form of one: what validators and providers rely on, and what a
// stranger's schema may lack. Pure; any thread.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace ba {

/// What is wrong, with its place ("properties.a: …"); none when every keyword known to draft 7 or
/// 2020-12 has a value of its kind. Other keywords may be anything. The schema is within the limits
/// of json_shape.hpp. Source: https://json-schema.org/draft-07/schema and
/// https://json-schema.org/draft/2020-12/schema.
std::optional<std::string> schema_flaw(const nlohmann::ordered_json& schema);

}  // namespace ba
