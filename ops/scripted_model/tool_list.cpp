// SPDX-License-Identifier: Apache-2.0
#include "ops/scripted_model/tool_list.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace ba::scripted {

namespace {

constexpr std::size_t kListsMax = 64;
constexpr std::array<std::string_view, 7> kTypes = {"object",  "array",   "string", "number",
                                                    "integer", "boolean", "null"};

bool is_type_name(const JsonValue& value) {
  return std::any_of(kTypes.begin(), kTypes.end(),
                     [&](std::string_view type) { return value.equals(type); });
}

bool is_type(const JsonValue& value) {
  if (!value.is(JsonKind::Array)) return is_type_name(value);
  JsonValue element = value.first();
  for (std::uint32_t left = value.size(); left > 0; --left, element = element.next()) {
    if (!is_type_name(element)) return false;
  }
  return value.size() > 0;
}

bool is_list_of_names(const JsonValue& value) {
  if (!value.is(JsonKind::Array)) return false;
  std::vector<std::string_view> seen;
  JsonValue element = value.first();
  for (std::uint32_t left = value.size(); left > 0; --left, element = element.next()) {
    if (!element.is(JsonKind::String)) return false;
    if (std::find(seen.begin(), seen.end(), element.raw()) != seen.end()) return false;
    seen.push_back(element.raw());
  }
  return true;
}

Refusal check_schema(const JsonValue& schema, const Place& place, RefuseAt refuse_at);

Refusal check_properties(const JsonValue& properties, const Place& place, RefuseAt refuse_at) {
  if (!properties.is(JsonKind::Object)) return refuse_at(place, "must be an object");
  JsonValue member = properties.first();
  for (std::uint32_t left = properties.size(); left > 0; --left, member = member.next()) {
    if (auto refusal = check_schema(member, Place(place, member.raw_key()), refuse_at)) {
      return refusal;
    }
  }
  return nullptr;
}

Refusal check_schema(const JsonValue& schema, const Place& place, RefuseAt refuse_at) {
  if (schema.is_bool()) return nullptr;
  if (!schema.is(JsonKind::Object)) return refuse_at(place, "JSON schema is invalid: no object");
  if (const JsonValue type = schema["type"]; type && !is_type(type)) {
    return refuse_at(Place(place, "type"), "JSON schema is invalid: unknown type");
  }
  if (const JsonValue names = schema["required"]; names && !is_list_of_names(names)) {
    return refuse_at(Place(place, "required"), "JSON schema is invalid: no list of unique names");
  }
  if (const JsonValue values = schema["enum"];
      values && (!values.is(JsonKind::Array) || values.size() == 0)) {
    return refuse_at(Place(place, "enum"), "JSON schema is invalid: no list of values");
  }
  if (const JsonValue items = schema["items"]) {
    if (auto refusal = check_schema(items, Place(place, "items"), refuse_at)) return refusal;
  }
  if (const JsonValue properties = schema["properties"]) {
    return check_properties(properties, Place(place, "properties"), refuse_at);
  }
  return nullptr;
}

}  // namespace

bool is_tool_name(const JsonValue& name) {
  if (!name.is(JsonKind::String)) return false;
  const std::string text = name.text();
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
             std::string::npos;
}

Refusal check_object_schema(const JsonValue& schema, const Place& place, RefuseAt refuse_at) {
  if (!schema.is(JsonKind::Object)) return refuse_at(place, "Input should be an object");
  if (!schema["type"].equals("object")) {
    return refuse_at(Place(place, "type"), "Input should be 'object'");
  }
  return check_schema(schema, place, refuse_at);
}

void KnownToolLists::remember(std::string_view raw) {
  if (lists_.size() >= kListsMax) lists_.clear();
  lists_.emplace(raw);
}

}  // namespace ba::scripted
