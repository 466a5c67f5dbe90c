// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/tool_schema_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/output_level.hpp"

namespace ba::llm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownCodePoints = 300;
constexpr std::array<std::string_view, 17> kWithNumbers{
    "enum",          "const",      "default",          "examples",         "example",
    "minimum",       "maximum",    "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength",     "maxLength",  "minItems",         "maxItems",         "minProperties",
    "maxProperties", "minContains"};

bool beyond_doubles(const Json& value) {
  if (is_kept_number(value)) return !std::isfinite(nearest_double(value));
  return value.is_structured() && std::ranges::any_of(value, beyond_doubles);
}

/// So many values are compared as what they are, more as they are written.
constexpr std::size_t kComparedMax = 1000;

Json each_once(const Json& list) {
  Json out = Json::array();
  if (list.size() > kComparedMax) {
    std::set<std::string> seen;
    for (const Json& value : list)
      if (seen.insert(dump_exact(value)).second) out.push_back(value);
    return out;
  }
  for (const Json& value : list)
    if (!holds(out, value)) out.push_back(value);
  return out;
}

void drop_beyond_doubles(Json& schema, std::vector<std::string>& notes) {
  for (const std::string_view keyword : kWithNumbers) {
    const std::string key(keyword);
    const auto found = schema.find(key);
    if (found == schema.end() || !beyond_doubles(*found)) continue;
    if (key == "enum") notes.push_back("One of: " + shown_value(*found) + ".");
    if (key == "const") notes.push_back("Always: " + shown_value(*found) + ".");
    schema.erase(key);
  }
}

std::string type_of(const Json& value) {
  for (const char* type : {"object", "array", "string", "integer", "number", "boolean"})
    if (is_of_type(value, type)) return type;
  return "null";
}

void make_text_enum(Json& schema, std::vector<std::string>& notes) {
  if (schema.contains("const")) {
    if (!schema.contains("enum")) schema["enum"] = Json::array({schema["const"]});
    schema.erase("const");
  }
  if (!schema.contains("enum")) return;
  Json& values = schema["enum"];
  const bool null = schema.value("nullable", Json()) == true && holds(values, Json());
  if (null && values.size() > 1) {  // which "nullable" says
    Json others = Json::array();
    for (const Json& one : values)
      if (!one.is_null()) others.push_back(one);
    values = std::move(others);
  }
  const auto taken = [](const Json& value) {
    return value.is_string() && !value.get_ref<const std::string&>().empty();
  };
  const Json type = schema.value("type", Json("string"));
  if (type == "string" && std::ranges::all_of(values, taken)) return;
  notes.push_back("One of: " + shown_value(values) + ".");
  schema.erase("enum");
}

}  // namespace

bool same_value(const Json& one, const Json& other) {
  if (is_kept_number(one) || is_kept_number(other))
    return is_any_number(one) && is_any_number(other) && decimal_value(one) == decimal_value(other);
  if (one.is_array() && other.is_array()) return std::ranges::equal(one, other, same_value);
  if (!one.is_object() || !other.is_object()) return one == other;
  if (one.size() != other.size()) return false;
  for (const auto& [name, value] : one.items()) {
    const auto found = other.find(name);
    if (found == other.end() || !same_value(value, *found)) return false;
  }
  return true;
}

bool holds(const Json& list, const Json& value) {
  return std::ranges::any_of(list, [&value](const Json& one) { return same_value(one, value); });
}

bool is_of_type(const Json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return is_any_number(value) && decimal_value(value).whole();
  if (type == "number") return is_any_number(value);
  if (type == "boolean") return value.is_boolean();
  return value.is_null();
}

std::string shown_value(const Json& value) {
  return cut_code_points(dump_exact(value), kShownCodePoints);
}

Json types_of_values(const Json& schema) {
  Json types = Json::array();
  const auto add = [&types](const Json& value) {
    const Json type = type_of(value);
    if (!holds(types, type)) types.push_back(type);
  };
  if (const auto only = schema.find("const"); only != schema.end()) {
    add(*only);
  } else if (const auto values = schema.find("enum");
             values != schema.end() && values->is_array()) {
    for (const Json& one : *values) add(one);
  }
  if (holds(types, "number") && holds(types, "integer"))
    types.erase(std::ranges::find(types, Json("integer")));
  if (types.empty()) return Json();
  return types.size() == 1 ? Json(types[0]) : types;
}

void fit_values(Json& schema, const ToolRules& rules, std::vector<std::string>& notes) {
  if (const auto values = schema.find("enum"); values != schema.end() && values->is_array()) {
    *values = each_once(*values);
    if (values->empty()) schema.erase("enum");
  }
  drop_beyond_doubles(schema, notes);
  if (rules.text_enums) make_text_enum(schema, notes);
}

}  // namespace ba::llm
