// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/tool_schema_parts.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace ba::llm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 7> kTypes{"object",  "array",   "string", "number",
                                                 "integer", "boolean", "null"};

/// Keywords that speak of values of one type alone; the others belong to all.
struct Owned {
  std::string_view keyword;
  std::string_view type;
};
constexpr std::array<Owned, 23> kOwned{{{"properties", "object"},
                                        {"required", "object"},
                                        {"additionalProperties", "object"},
                                        {"patternProperties", "object"},
                                        {"propertyNames", "object"},
                                        {"minProperties", "object"},
                                        {"maxProperties", "object"},
                                        {"items", "array"},
                                        {"minItems", "array"},
                                        {"maxItems", "array"},
                                        {"uniqueItems", "array"},
                                        {"contains", "array"},
                                        {"minLength", "string"},
                                        {"maxLength", "string"},
                                        {"pattern", "string"},
                                        {"format", "string"},
                                        {"contentEncoding", "string"},
                                        {"contentMediaType", "string"},
                                        {"minimum", "number"},
                                        {"maximum", "number"},
                                        {"exclusiveMinimum", "number"},
                                        {"exclusiveMaximum", "number"},
                                        {"multipleOf", "number"}}};

std::string_view owner_of(std::string_view keyword) {
  for (const Owned& owned : kOwned)
    if (owned.keyword == keyword) return owned.type;
  return "";
}

void keep_known(Json& schema) {
  const auto found = schema.find("type");
  if (found == schema.end()) return;
  Json kept = Json::array();
  for (const Json& one : found->is_array() ? *found : Json::array({*found}))
    if (std::ranges::any_of(kTypes, [&one](const auto& type) { return one == type; }) &&
        std::ranges::find(kept, one) == kept.end())
      kept.push_back(one);
  if (kept.empty())
    schema.erase("type");
  else
    *found = kept.size() == 1 ? Json(kept[0]) : kept;
}

/// What of the schema speaks of values of the type.
Json branch_of(const Json& schema, const std::string& type) {
  Json branch{{"type", type}};
  const std::string_view family = type == "integer" ? "number" : std::string_view(type);
  for (const auto& [key, value] : schema.items()) {
    if (key == "enum" && value.is_array()) {
      Json values = Json::array();
      for (const Json& one : value)
        if (is_of_type(one, type)) values.push_back(one);
      if (!values.empty() && type != "null") branch[key] = std::move(values);
    } else if (owner_of(key) == family) {
      branch[key] = value;
    }
  }
  return branch;
}

/// A list of types as alternatives of one type each.
void split(Json& schema) {
  Json branches = Json::array();
  const Json values = schema.value("enum", Json::array());
  for (const Json& type : schema["type"]) {
    const auto its = [&type](const Json& one) { return is_of_type(one, type.get<std::string>()); };
    if (values.empty() || std::ranges::any_of(values, its))
      branches.push_back(branch_of(schema, type));
  }
  if (branches.empty())  // nothing is of it; the own check says so
    for (const Json& type : schema["type"]) branches.push_back(Json{{"type", type}});
  Json out = Json::object();
  for (const auto& [key, value] : schema.items()) {
    if (key == "type")
      out["anyOf"] = std::move(branches);
    else if (key != "enum" && owner_of(key).empty())
      out[key] = value;
  }
  schema = std::move(out);
}

/// "null" as a word of its own.
void make_nullable(Json& schema) {
  const auto type = schema.find("type");
  if (type == schema.end() || !type->is_array()) return;
  const auto null = std::ranges::find(*type, Json("null"));
  if (null != type->end()) {
    type->erase(null);
    schema["nullable"] = true;
  }
  if (schema["type"].size() == 1) schema["type"] = Json(schema["type"][0]);
}

/// Any value, as types with what each must say; an array's items are of `levels` more.
Json anything(int levels, bool nullable) {
  Json branches = Json::array();
  for (const char* type : {"string", "number", "boolean", "object"})
    branches.push_back(Json{{"type", type}});
  if (levels > 0)
    branches.push_back(Json{{"type", "array"}, {"items", anything(levels - 1, nullable)}});
  if (!nullable) branches.push_back(Json{{"type", "null"}});
  for (Json& branch : branches)
    if (nullable) branch["nullable"] = true;
  return Json{{"anyOf", std::move(branches)}};
}

}  // namespace

bool may_be(const nlohmann::ordered_json& schema, std::string_view type) {
  const auto own = schema.find("type");
  if (own == schema.end()) return false;
  if (!own->is_array()) return *own == type;
  return std::ranges::find(*own, Json(type)) != own->end();
}

void move_type_in(nlohmann::ordered_json& schema) {
  const auto found = schema.find("type");
  if (found == schema.end()) return;
  const Json own = *found;
  bool moved = false;
  for (const char* key : {"anyOf", "oneOf"}) {
    const auto list = schema.find(key);
    if (list == schema.end() || !list->is_array()) continue;
    for (Json& one : *list)
      if (one.is_object() && !one.contains("type")) one["type"] = own;
    moved = true;
  }
  if (moved) schema.erase("type");
}

void say_type_of_values(nlohmann::ordered_json& schema) {
  for (const char* key : {"type", "anyOf", "oneOf", "allOf"})
    if (schema.contains(key)) return;
  if (Json types = types_of_values(schema); !types.is_null()) schema["type"] = std::move(types);
}

void fit_types(nlohmann::ordered_json& schema, const ToolRules& rules) {
  keep_known(schema);
  if (rules.typed) say_type_of_values(schema);
  if (rules.type_lists == ToolRules::Lists::Nullable) make_nullable(schema);
  const bool list = schema.contains("type") && schema["type"].is_array();
  if (!list || rules.type_lists == ToolRules::Lists::Kept) return;
  if (schema.contains("anyOf"))
    schema.erase("type");  // one keyword can't hold both lists
  else
    split(schema);
}

/// By a format that only numbers have (OpenAPI); empty: none.
std::string_view type_of_format(const Json& schema) {
  const Json format = schema.value("format", Json());
  if (format == "int32" || format == "int64") return "integer";
  return format == "float" || format == "double" ? "number" : "";
}

void drop_of_other_types(nlohmann::ordered_json& schema, const ToolRules& rules) {
  const Json type = schema.value("type", Json());
  if (!type.is_string()) return;
  const std::string family = type == "integer" ? "number" : type.get<std::string>();
  std::vector<std::string> others;
  for (const auto& [key, value] : schema.items()) {
    const std::string_view owner = owner_of(key);
    if (!owner.empty() && owner != family && key != "format") others.push_back(key);
  }
  const bool texts = type == "string";
  if (const auto format = schema.find("format"); format != schema.end() && !rules.formats.empty())
    if (texts != type_of_format(schema).empty()) others.emplace_back("format");
  for (const std::string& key : others) schema.erase(key);
}

void say_type(nlohmann::ordered_json& schema, const ToolRules& rules) {
  for (const char* key : {"type", "anyOf", "oneOf", "allOf"})
    if (schema.contains(key)) return;
  if (const std::string_view type = type_of_format(schema); !type.empty()) {
    schema["type"] = type;
    return;
  }
  for (const auto& [key, value] : schema.items())
    if (const std::string_view type = owner_of(key); !type.empty()) {
      schema["type"] = type;
      return;
    }
  constexpr int kLevels = 3;
  const Json base = std::move(schema);
  schema = anything(kLevels, rules.type_lists == ToolRules::Lists::Nullable);
  for (Json& branch : schema["anyOf"])
    for (const auto& [key, value] : base.items()) branch[key] = value;
}

}  // namespace ba::llm
