// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/answer_format.hpp"

#include <algorithm>
#include <array>

#include "tests/scripted_model/anthropic_parts.hpp"
#include "tests/scripted_model/openai_parts.hpp"

namespace ba::scripted {
namespace {

constexpr std::array<std::string_view, 11> kNotSupported = {
    "minimum",  "maximum", "multipleOf", "minLength",         "maxLength", "minItems",
    "maxItems", "pattern", "oneOf",      "patternProperties", "not"};

template <typename Visit>
void for_each_child(const JsonValue& value, const Visit& visit) {
  if (!value.is(JsonKind::Object) && !value.is(JsonKind::Array)) return;
  JsonValue child = value.first();
  for (std::uint32_t left = value.size(); left > 0; --left, child = child.next()) visit(child);
}

bool names(const JsonValue& list, std::string_view name) {
  bool found = false;
  for_each_child(list, [&](const JsonValue& each) { found = found || each.equals(name); });
  return found;
}

bool all_required(const JsonValue& schema) {
  bool all = true;
  for_each_child(schema["properties"], [&](const JsonValue& property) {
    all = all && names(schema["required"], property.raw_key());
  });
  return all;
}

/// What a provider says of a schema that it can't hold a model to; empty: nothing. Names of
/// properties are taken for keywords, too: scripts don't name them so.
std::string flaw_of(const JsonValue& schema, bool openai) {
  if (!schema.is(JsonKind::Object) && !schema.is(JsonKind::Array)) return {};
  if (schema.is(JsonKind::Object)) {
    for (const std::string_view keyword : kNotSupported)
      if (schema[keyword]) return "'" + std::string(keyword) + "' is not supported";
    const JsonValue type = schema["type"];
    const bool object =
        type.equals("object") || (type.is(JsonKind::Array) && names(type, "object"));
    if (object && !schema["additionalProperties"].is(JsonKind::False))
      return "'additionalProperties' is required to be supplied and to be false";
    if (object && openai && !all_required(schema))
      return "'required' is required to include every key in properties";
  }
  std::string flaw;
  for_each_child(schema, [&](const JsonValue& child) {
    if (flaw.empty()) flaw = flaw_of(child, openai);
  });
  return flaw;
}

bool good_name(const JsonValue& name) {
  const std::string text = name.text();
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

}  // namespace

Refusal check_output_config(const JsonValue& config) {
  if (!config) return nullptr;
  const Place at("output_config");
  constexpr std::array<std::string_view, 2> kMembers = {"effort", "format"};
  if (auto refusal = anthropic::check_only(config, kMembers, at)) return refusal;
  const JsonValue format = config["format"];
  if (!format || format.is(JsonKind::Null)) return nullptr;
  const Place inside(at, "format");
  constexpr std::array<std::string_view, 2> kFormatMembers = {"type", "schema"};
  if (auto refusal = anthropic::check_only(format, kFormatMembers, inside)) return refusal;
  if (!format["type"].equals("json_schema") || !format["schema"].is(JsonKind::Object))
    return refuse_dotted(inside, "Input should be a json_schema with a schema");
  const std::string flaw = flaw_of(format["schema"], false);
  return flaw.empty() ? nullptr : refuse_dotted(Place(inside, "schema"), flaw);
}

Refusal check_response_format(const JsonValue& format) {
  if (!format || format.is(JsonKind::Null)) return nullptr;
  const Place at("response_format");
  if (format["type"].equals("text") || format["type"].equals("json_object")) return nullptr;
  const JsonValue given = format["json_schema"];
  if (!format["type"].equals("json_schema") || !given.is(JsonKind::Object))
    return refuse_bracketed(at, "expected 'text', 'json_object' or 'json_schema'");
  const Place inside(at, "json_schema");
  constexpr std::array<std::string_view, 4> kMembers = {"name", "description", "schema", "strict"};
  if (auto refusal = openai::check_only(given, kMembers, inside)) return refusal;
  if (!good_name(given["name"])) return refuse_bracketed(Place(inside, "name"), "invalid name");
  if (!given["schema"].is(JsonKind::Object))
    return refuse_bracketed(Place(inside, "schema"), "expected an object");
  if (!given["strict"].is(JsonKind::True)) return nullptr;
  const std::string flaw = flaw_of(given["schema"], true);
  return flaw.empty() ? nullptr : refuse_bracketed(Place(inside, "schema"), flaw);
}

}  // namespace ba::scripted
