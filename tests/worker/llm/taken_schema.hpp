#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a provider says of a tool's schema, by its rules and by JSON Schema: an own reading of the
// table, apart from what rewrites. For tests.

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "pipeline/base/exact_json.hpp"
#include "worker/llm/tool_rules.hpp"

namespace ba::llm {

class TakenSchema {
 public:
  using Json = nlohmann::ordered_json;

  /// Empty: it is taken.
  static std::string refusal(const Json& schema, const ToolRules& rules) {
    if (has_kept(schema)) return "a number beyond all doubles";
    if (!schema.is_object() || schema.value("type", Json()) != "object")
      return "the top is no object's";
    for (const char* key : {"anyOf", "oneOf", "allOf", "not", "enum", "const"})
      if (schema.contains(key)) return std::string(key) + " at the top";
    if (!rules.known_required && !schema.contains("properties")) return "no properties at the top";
    return within(schema, rules);
  }

 private:
  /// Servers read numbers as doubles.
  static bool has_kept(const Json& value) {
    if (is_kept_number(value)) return !std::isfinite(nearest_double(value));
    return value.is_structured() && std::ranges::any_of(value, has_kept);
  }

  static std::string within(const Json& schema, const ToolRules& rules) {
    if (!schema.is_object()) return "a schema is " + schema.dump();
    for (const auto& [key, value] : schema.items())
      if (std::string fault = keyword(key, value, schema, rules); !fault.empty())
        return key + ": " + fault;
    const bool any_of = schema.contains("anyOf");
    if (rules.lone_any_of && any_of && schema.size() > 1) return "anyOf is not alone";
    const bool lists = any_of || schema.contains("oneOf") || schema.contains("allOf");
    if (rules.typed && !lists && !schema.contains("type")) return "no type: " + schema.dump();
    if (rules.typed_branches && any_of && schema.contains("type"))
      return "type should be defined in anyOf items instead of the parent schema";
    if (rules.items_needed && schema.value("type", Json()) == "array" && !schema.contains("items"))
      return "array schema missing items";
    return "";
  }

  static std::string keyword(const std::string& key, const Json& value, const Json& schema,
                             const ToolRules& rules) {
    if (key.starts_with('$') || key == "definitions" || key.starts_with("x-")) return "not taken";
    if (!rules.keywords.empty() && std::ranges::count(rules.keywords, key) == 0) return "not known";
    if (key == "type") return type(value, rules);
    if (key == "enum" && rules.text_enums && schema.value("type", Json()) != "string")
      return "enum: only allowed for STRING type";
    if (key == "enum") return values(value, rules);
    if (key == "required") return required(value, schema, rules);
    if (key == "items" || key == "not" || key == "if" || key == "then" || key == "else" ||
        (key == "additionalProperties" && !value.is_boolean()))
      return within(value, rules);
    if (key == "anyOf" || key == "oneOf" || key == "allOf") return list(value, rules);
    if (key == "properties") return members(value, rules);
    if (key == "pattern" && rules.patterns == ToolRules::Patterns::Anchored &&
        !(value.get<std::string>().starts_with('^') && value.get<std::string>().ends_with('$')))
      return "not anchored";
    return "";
  }

  static std::string type(const Json& value, const ToolRules& rules) {
    if (value.is_string()) return "";
    return rules.type_lists == ToolRules::Lists::Kept && value.is_array() ? "" : "a list";
  }

  static std::string values(const Json& value, const ToolRules& rules) {
    if (!value.is_array() || value.empty()) return "no values";
    for (const Json& one : value) {
      if (std::ranges::count(value, one) > 1) return "twice";
      if (rules.text_enums && (!one.is_string() || one == "")) return "no text";
    }
    return "";
  }

  static std::string required(const Json& value, const Json& schema, const ToolRules& rules) {
    for (const Json& one : value) {
      if (!one.is_string() || std::ranges::count(value, one) > 1) return "no unique names";
      if (rules.known_required && !schema["properties"].contains(one.get<std::string>()))
        return "property is not defined";
    }
    return "";
  }

  static std::string list(const Json& value, const ToolRules& rules) {
    if (!value.is_array() || value.empty()) return "no list";
    for (const Json& one : value)
      if (std::string fault = within(one, rules); !fault.empty()) return fault;
    return "";
  }

  static std::string members(const Json& value, const ToolRules& rules) {
    if (rules.known_required && value.empty()) return "should be non-empty for OBJECT type";
    for (const auto& [name, one] : value.items()) {
      if (rules.property_words && !is_property_word(name)) return "name " + name;
      if (std::string fault = within(one, rules); !fault.empty()) return name + ": " + fault;
    }
    return "";
  }
};

}  // namespace ba::llm
