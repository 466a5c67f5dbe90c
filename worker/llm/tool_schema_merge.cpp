// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/tool_schema_merge.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> kAtLeast{"minimum", "exclusiveMinimum", "minLength",
                                                   "minItems", "minProperties"};
constexpr std::array<std::string_view, 5> kAtMost{"maximum", "exclusiveMaximum", "maxLength",
                                                  "maxItems", "maxProperties"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool holds(const Json& list, const Json& value) {
  return std::ranges::find(list, value) != list.end();
}

Json as_list(const Json& value) { return value.is_array() ? value : Json::array({value}); }

/// What both lists have; nothing in common says nothing that a schema could.
Json common(const Json& one, const Json& other) {
  Json both = Json::array();
  for (const Json& value : as_list(one)) {
    if (holds(as_list(other), value)) both.push_back(value);
    // Each integer is a number.
    if (value == "number" && holds(as_list(other), "integer")) both.push_back("integer");
  }
  if (both.empty()) return one;
  return both.size() == 1 && !(one.is_array() && other.is_array()) ? both[0] : both;
}

void add_all(Json& list, const Json& more) {
  for (const Json& value : more)
    if (!holds(list, value)) list.push_back(value);
}

bool has_all(const Json& schema, const Json& names) {
  const auto properties = schema.find("properties");
  for (const auto& [name, value] : names.items())
    if (properties == schema.end() || !properties->contains(name)) return false;
  return true;
}

const Json& properties_of(const Json& schema) {
  static const Json none = Json::object();
  const auto properties = schema.find("properties");
  return properties != schema.end() && properties->is_object() ? *properties : none;
}

/// That nothing else is allowed holds for the one's names alone, so with the other's it can't stay.
bool closed_to(const Json& schema, const Json& other) {
  const auto rest = schema.find("additionalProperties");
  return rest != schema.end() && *rest != true && !has_all(schema, properties_of(other));
}

void combine(Json& own, const std::string& key, const Json& more) {
  if (key == "properties" && own.is_object() && more.is_object()) {
    for (const auto& [name, value] : more.items())
      own[name] = own.contains(name) ? conjoined(own[name], value) : value;
  } else if ((key == "required" || key == "allOf") && own.is_array() && more.is_array()) {
    add_all(own, more);
  } else if (key == "type" || (key == "enum" && own.is_array() && more.is_array())) {
    own = common(own, more);
  } else if (key == "items" && own.is_object() && more.is_object()) {
    own = conjoined(own, more);
  } else if (among(kAtLeast, key) && own.is_number() && more.is_number()) {
    own = std::max(own, more);
  } else if (among(kAtMost, key) && own.is_number() && more.is_number()) {
    own = std::min(own, more);
  }
}

/// The values that are all that it allows; null: others, too.
Json values_of(const Json& schema) {
  if (const auto only = schema.find("const"); only != schema.end()) return Json::array({*only});
  const auto values = schema.find("enum");
  return values != schema.end() && values->is_array() ? *values : Json();
}

}  // namespace

nlohmann::ordered_json conjoined(nlohmann::ordered_json schema,
                                 const nlohmann::ordered_json& more) {
  if (!schema.is_object()) return schema == false ? schema : more;
  if (!more.is_object()) return more == false ? more : schema;
  const bool open = closed_to(schema, more) || closed_to(more, schema);
  const bool conditional = schema.contains("if");
  for (const auto& [key, value] : more.items()) {
    const bool condition = key == "if" || key == "then" || key == "else";
    if (condition && conditional) continue;  // one schema has one condition
    if (!schema.contains(key))
      schema[key] = value;
    else if (schema[key] != value)
      combine(schema[key], key, value);
  }
  if (open) schema.erase("additionalProperties");
  return schema;
}

nlohmann::ordered_json either_of(const std::vector<nlohmann::ordered_json>& schemas) {
  Json different = Json::array();
  for (const Json& schema : schemas) {
    if (schema == true || (schema.is_object() && schema.empty())) return Json::object();
    if (!holds(different, schema)) different.push_back(schema);
  }
  if (different.size() == 1) return different[0];
  Json values = Json::array();
  for (const Json& schema : different) {
    const Json its = values_of(schema);
    if (its.is_null()) return Json{{"anyOf", different}};
    add_all(values, its);
  }
  Json one = different[0];
  one.erase("const");
  for (const Json& schema : different)
    if (schema.value("type", Json()) != one.value("type", Json()))
      return Json{{"anyOf", different}};
  one["enum"] = values;
  return one;
}

}  // namespace ba
