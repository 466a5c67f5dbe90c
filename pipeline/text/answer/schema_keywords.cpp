// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/answer/schema_keywords.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace ba {
namespace {

using Json = nlohmann::json;

/// A schema, a list of them, or schemas by name; what is none of these is passed over.
struct Keyword {
  std::string_view name;
  bool by_name;
  SchemaReach reach;
};

constexpr std::array<Keyword, 18> kHolders{{
    {"additionalItems", false, SchemaReach::Within},
    {"additionalProperties", false, SchemaReach::Within},
    {"allOf", false, SchemaReach::Here},
    {"anyOf", false, SchemaReach::Here},
    {"contains", false, SchemaReach::Within},
    {"definitions", true, SchemaReach::Nowhere},
    {"$defs", true, SchemaReach::Nowhere},
    {"dependencies", true, SchemaReach::Here},
    {"dependentSchemas", true, SchemaReach::Here},
    {"else", false, SchemaReach::Here},
    {"if", false, SchemaReach::Here},
    {"items", false, SchemaReach::Within},
    {"not", false, SchemaReach::Here},
    {"oneOf", false, SchemaReach::Here},
    {"patternProperties", true, SchemaReach::Within},
    {"properties", true, SchemaReach::Within},
    {"propertyNames", false, SchemaReach::Within},
    {"then", false, SchemaReach::Here},
}};

constexpr std::array<std::string_view, 7> kLater{
    "$dynamicRef", "$recursiveRef",    "maxContains",          "minContains",
    "prefixItems", "unevaluatedItems", "unevaluatedProperties"};

}  // namespace

void for_each_schema_in(
    const Json& schema,
    const std::function<void(const std::string&, const Json&, SchemaReach)>& visit) {
  if (!schema.is_object()) return;
  const auto reach_one = [&](const std::string& place, const Json& inner, SchemaReach reach) {
    if (inner.is_object() || inner.is_boolean()) visit(place, inner, reach);
  };
  for (const Keyword& keyword : kHolders) {
    const auto value = schema.find(keyword.name);
    if (value == schema.end()) continue;
    const std::string name(keyword.name);
    if (keyword.by_name && value->is_object())
      for (const auto& [inner_name, inner] : value->items())
        reach_one(name + "." + inner_name, inner, keyword.reach);
    else if (value->is_array())
      for (std::size_t i = 0; i < value->size(); ++i)
        reach_one(name + "[" + std::to_string(i) + "]", (*value)[i], keyword.reach);
    else
      reach_one(name, *value, keyword.reach);
  }
}

bool is_later_keyword(std::string_view keyword) {
  return std::find(kLater.begin(), kLater.end(), keyword) != kLater.end();
}

}  // namespace ba
