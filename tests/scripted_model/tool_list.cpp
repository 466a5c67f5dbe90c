// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/tool_list.hpp"

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

Refusal refuse_at(const Place& place, std::string_view message, Demands demands) {
  return demands == Demands::Anthropic ? refuse_dotted(place, message)
                                       : refuse_bracketed(place, message);
}

/// [a-zA-Z0-9_.-]{1,64}
bool is_property_key(std::string_view raw) {
  return !raw.empty() && raw.size() <= 64 &&
         raw.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
             std::string_view::npos;
}

Refusal check_schema(const JsonValue& schema, const Place& place, Demands demands);

Refusal check_properties(const JsonValue& properties, const Place& place, Demands demands) {
  if (!properties.is(JsonKind::Object)) return refuse_at(place, "must be an object", demands);
  JsonValue member = properties.first();
  for (std::uint32_t left = properties.size(); left > 0; --left, member = member.next()) {
    if (demands == Demands::Anthropic && !is_property_key(member.raw_key())) {
      return refuse_at(place, "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
                       demands);
    }
    if (auto refusal = check_schema(member, Place(place, member.raw_key()), demands)) {
      return refusal;
    }
  }
  return nullptr;
}

/// Of the alternatives, too: anywhere but at the top they are taken.
Refusal check_lists(const JsonValue& schema, const Place& place, Demands demands) {
  for (const std::string_view key : {"anyOf", "oneOf", "allOf"}) {
    const JsonValue list = schema[key];
    if (!list) continue;
    if (!list.is(JsonKind::Array) || list.size() == 0) {
      return refuse_at(Place(place, key), "JSON schema is invalid: no list of schemas", demands);
    }
    JsonValue element = list.first();
    for (std::uint32_t left = list.size(); left > 0; --left, element = element.next()) {
      if (auto refusal = check_schema(element, Place(place, key), demands)) return refusal;
    }
  }
  return nullptr;
}

/// https://docs.claude.com/en/api/messages, https://platform.openai.com/docs/api-reference/chat
Refusal check_top(const JsonValue& schema, const Place& place, Demands demands) {
  for (const std::string_view key : {"oneOf", "allOf", "anyOf"}) {
    if (!schema[key]) continue;
    return demands == Demands::Anthropic
               ? refuse_at(place,
                           "input_schema does not support oneOf, allOf, or anyOf at the top level",
                           demands)
               : refuse_at(place,
                           "schema must have type 'object' and not have "
                           "'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level",
                           demands);
  }
  if (demands == Demands::Anthropic) return nullptr;
  for (const std::string_view key : {"enum", "not"}) {
    if (schema[key]) return refuse_at(Place(place, key), "not permitted at the top level", demands);
  }
  if (!schema["properties"]) return refuse_at(place, "object schema missing properties", demands);
  return nullptr;
}

Refusal check_schema(const JsonValue& schema, const Place& place, Demands demands) {
  if (schema.is_bool()) return nullptr;
  if (!schema.is(JsonKind::Object))
    return refuse_at(place, "JSON schema is invalid: no object", demands);
  if (const JsonValue type = schema["type"]; type && !is_type(type)) {
    return refuse_at(Place(place, "type"), "JSON schema is invalid: unknown type", demands);
  }
  if (const JsonValue names = schema["required"]; names && !is_list_of_names(names)) {
    return refuse_at(Place(place, "required"), "JSON schema is invalid: no list of unique names",
                     demands);
  }
  if (const JsonValue values = schema["enum"];
      values && (!values.is(JsonKind::Array) || values.size() == 0)) {
    return refuse_at(Place(place, "enum"), "JSON schema is invalid: no list of values", demands);
  }
  const JsonValue items = schema["items"];
  if (!items && demands == Demands::OpenAi && schema["type"].equals("array")) {
    return refuse_at(place, "Invalid schema for function: array schema missing items", demands);
  }
  if (items) {
    if (auto refusal = check_schema(items, Place(place, "items"), demands)) return refusal;
  }
  if (auto refusal = check_lists(schema, place, demands)) return refusal;
  if (const JsonValue properties = schema["properties"]) {
    return check_properties(properties, Place(place, "properties"), demands);
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

Refusal check_object_schema(const JsonValue& schema, const Place& place, Demands demands) {
  if (!schema.is(JsonKind::Object)) return refuse_at(place, "Input should be an object", demands);
  if (!schema["type"].equals("object")) {
    return refuse_at(Place(place, "type"), "Input should be 'object'", demands);
  }
  if (auto refusal = check_top(schema, place, demands)) return refusal;
  return check_schema(schema, place, demands);
}

void KnownToolLists::remember(std::string_view raw) {
  if (lists_.size() >= kListsMax) lists_.clear();
  lists_.emplace(raw);
}

}  // namespace ba::scripted
