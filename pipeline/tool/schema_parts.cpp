// SPDX-License-Identifier: Apache-2.0
#include "pipeline/tool/schema_parts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace ba {
namespace {

/// Keywords whose value is a schema, or a list of them; those whose members are schemas.
constexpr std::string_view kOneSchema[] = {"items",
                                           "additionalItems",
                                           "additionalProperties",
                                           "contains",
                                           "propertyNames",
                                           "not",
                                           "if",
                                           "then",
                                           "else",
                                           "allOf",
                                           "anyOf",
                                           "oneOf",
                                           "prefixItems",
                                           "unevaluatedItems",
                                           "contentSchema",
                                           "unevaluatedProperties"};
constexpr std::string_view kSchemaMembers[] = {
    "properties", "patternProperties", "definitions", "$defs", "dependencies", "dependentSchemas"};

}  // namespace

void change_schemas(nlohmann::ordered_json& schema,
                    const std::function<void(nlohmann::ordered_json&)>& change) {
  if (schema.is_array())
    for (auto& one : schema) change_schemas(one, change);
  if (!schema.is_object()) return;
  for (auto& [key, value] : schema.items()) {
    if (std::ranges::count(kOneSchema, key) > 0) change_schemas(value, change);
    if (std::ranges::count(kSchemaMembers, key) > 0 && value.is_object())
      for (auto& one : value) change_schemas(one, change);
  }
  change(schema);
}

}  // namespace ba
