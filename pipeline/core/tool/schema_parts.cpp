// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/schema_parts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace ba {
namespace {

constexpr std::string_view kOne[] = {"items",
                                     "additionalItems",
                                     "additionalProperties",
                                     "contains",
                                     "propertyNames",
                                     "not",
                                     "if",
                                     "then",
                                     "else",
                                     "contentSchema",
                                     "unevaluatedItems",
                                     "unevaluatedProperties"};
constexpr std::string_view kList[] = {"allOf", "anyOf", "oneOf", "prefixItems"};
constexpr std::string_view kNamed[] = {"properties", "patternProperties", "definitions",
                                       "$defs",      "dependencies",      "dependentSchemas"};

}  // namespace

SchemaPlace schema_place(std::string_view keyword) {
  if (std::ranges::count(kOne, keyword) > 0) return SchemaPlace::One;
  if (std::ranges::count(kList, keyword) > 0) return SchemaPlace::List;
  return std::ranges::count(kNamed, keyword) > 0 ? SchemaPlace::Named : SchemaPlace::None;
}

void change_schemas(nlohmann::ordered_json& schema,
                    const std::function<void(nlohmann::ordered_json&)>& change) {
  if (schema.is_array())
    for (auto& one : schema) change_schemas(one, change);
  if (!schema.is_object()) return;
  for (auto& [key, value] : schema.items()) {
    const SchemaPlace place = schema_place(key);
    if (place == SchemaPlace::One || place == SchemaPlace::List) change_schemas(value, change);
    if (place == SchemaPlace::Named && value.is_object())
      for (auto& one : value) change_schemas(one, change);
  }
  change(schema);
}

}  // namespace ba
