// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "pipeline/base/exact_json.hpp"
#include "worker/llm/tool_schema_parts.hpp"

namespace ba::llm {
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

Json as_list(const Json& value) { return value.is_array() ? value : Json::array({value}); }

/// What both lists have; nothing in common says nothing that a schema could.
Json common_values(const Json& one, const Json& other) {
  Json both = Json::array();
  for (const Json& value : one)
    if (holds(other, value)) both.push_back(value);
  return both.empty() ? one : both;
}

/// Each integer is a number, so of both the integer is what both allow.
Json common_types(const Json& one, const Json& other) {
  const Json left = as_list(one);
  const Json right = as_list(other);
  Json both = Json::array();
  for (const Json& type : left)
    if (holds(right, type) || (type == "integer" && holds(right, "number"))) both.push_back(type);
  if (holds(left, "number") && holds(right, "integer") && !holds(both, "integer") &&
      !holds(both, "number"))
    both.push_back("integer");
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
  } else if (key == "type") {
    own = common_types(own, more);
  } else if (key == "enum" && own.is_array() && more.is_array()) {
    own = common_values(own, more);
  } else if (key == "items" && own.is_object() && more.is_object()) {
    own = conjoined(own, more);
  } else if (is_any_number(own) && is_any_number(more)) {
    const auto order = decimal_value(own) <=> decimal_value(more);
    if (among(kAtLeast, key) ? order < 0 : among(kAtMost, key) && order > 0) own = more;
  }
}

/// Keywords that mean something else beside the other schema's: what it has of items by place, and
/// counts of what another "contains" says.
bool of_its_own(std::string_view key, const Json& schema, const Json& more) {
  if (key == "additionalItems" || key == "prefixItems" || key == "unevaluatedItems")
    return schema.contains("items") || schema.contains("prefixItems");
  if (key == "items")
    return schema.contains("prefixItems") || more.contains("prefixItems") ||
           schema.contains("additionalItems");
  if (key == "minContains" || key == "maxContains" || key == "contains")
    return schema.contains("contains") || schema.contains("minContains") ||
           schema.contains("maxContains");
  return false;
}

bool no_type_of_both(const Json& one, const Json& other) {
  const auto in = [](const Json& list, const Json& type) {
    return holds(list, type) || (type == "integer" && holds(list, "number")) ||
           (type == "number" && holds(list, "integer"));
  };
  for (const Json& type : as_list(one))
    if (in(as_list(other), type)) return false;
  return true;
}

/// The values that are all that it allows; null: others, too.
Json values_of(const Json& schema) {
  if (const auto only = schema.find("const"); only != schema.end()) return Json::array({*only});
  const auto values = schema.find("enum");
  return values != schema.end() && values->is_array() ? *values : Json();
}

/// What only speaks of a schema.
constexpr std::array<std::string_view, 5> kSaid{"title", "description", "default", "example",
                                                "examples"};

Json without_values(Json schema) {
  for (const char* key : {"enum", "const"}) schema.erase(key);
  for (const std::string_view key : kSaid) schema.erase(std::string(key));
  return schema;
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
    if (of_its_own(key, schema, more)) continue;
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
  const Json rest = without_values(different[0]);
  Json one = different[0];
  for (const Json& schema : different) {
    const Json its = values_of(schema);
    if (its.is_null() || without_values(schema) != rest) return Json{{"anyOf", different}};
    add_all(values, its);
    for (const std::string_view key : kSaid)
      if (schema.value(std::string(key), Json()) != one.value(std::string(key), Json()))
        one.erase(std::string(key));
  }
  one.erase("const");
  one["enum"] = values;
  return one;
}

bool exclude_each_other(const nlohmann::ordered_json& one, const nlohmann::ordered_json& other) {
  if (one == false || other == false) return true;
  if (!one.is_object() || !other.is_object()) return false;
  const bool null =
      one.value("nullable", Json()) == true || other.value("nullable", Json()) == true;
  const auto left = one.find("type");
  const auto right = other.find("type");
  return !null && left != one.end() && right != other.end() && no_type_of_both(*left, *right);
}

}  // namespace ba::llm
