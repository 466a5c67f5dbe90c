// SPDX-License-Identifier: Apache-2.0
// The rules for numbers, texts, arrays and objects.
#include <algorithm>
#include <compare>
#include <set>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/answer/schema_checker.hpp"
#include "pipeline/text/answer/schema_values.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {

using namespace schema_values;

namespace {

bool holds(const nlohmann::json& schema, const char* name) {
  const auto found = schema.find(name);
  return found != schema.end() && found->is_object();
}

}  // namespace

// ---- numbers -----------------------------------------------------------------------------------

template <typename Compare>
bool SchemaChecker::bound(std::string_view rule, const char* words, const Json& wanted,
                          const Json& value, Compare good) {
  return !is_any_number(value) || good(compared(value, wanted)) ||
         fail(rule, words + shown(wanted), value);
}

bool SchemaChecker::minimum(const Json&, const Json& wanted, const Json& value) {
  return bound("minimum", "it must be at least ", wanted, value, std::is_gteq);
}

bool SchemaChecker::maximum(const Json&, const Json& wanted, const Json& value) {
  return bound("maximum", "it must be at most ", wanted, value, std::is_lteq);
}

bool SchemaChecker::exclusive_minimum(const Json&, const Json& wanted, const Json& value) {
  return bound("exclusiveMinimum", "it must be more than ", wanted, value, std::is_gt);
}

bool SchemaChecker::exclusive_maximum(const Json&, const Json& wanted, const Json& value) {
  return bound("exclusiveMaximum", "it must be less than ", wanted, value, std::is_lt);
}

bool SchemaChecker::multiple_of(const Json&, const Json& wanted, const Json& value) {
  return !is_any_number(value) || is_multiple(value, wanted) ||
         fail("multipleOf", "it must be a multiple of " + shown(wanted), value);
}

// ---- texts -------------------------------------------------------------------------------------

bool SchemaChecker::min_length(const Json&, const Json& wanted, const Json& value) {
  return !value.is_string() || length(value) >= number_of(wanted) ||
         fail("minLength", "it must have at least " + shown(wanted) + " characters", value);
}

bool SchemaChecker::max_length(const Json&, const Json& wanted, const Json& value) {
  return !value.is_string() || length(value) <= number_of(wanted) ||
         fail("maxLength", "it must have at most " + shown(wanted) + " characters", value);
}

long double SchemaChecker::length(const Json& value) {
  const auto& text = value.get_ref<const std::string&>();
  step(text.size() / 64);
  return static_cast<long double>(code_points(text));
}

bool SchemaChecker::pattern(const Json&, const Json& wanted, const Json& value) {
  if (!value.is_string()) return true;
  return matches(wanted.get_ref<const std::string&>(), value.get_ref<const std::string&>()) ||
         fail("pattern", "it must match " + shown(wanted), value);
}

bool SchemaChecker::matches(const std::string& pattern, const std::string& text) {
  return step(1 + text.size() / 64) && RE2::PartialMatch(text, index_.pattern(pattern));
}

// ---- arrays ------------------------------------------------------------------------------------

bool SchemaChecker::items(const Json& schema, const Json& wanted, const Json& value) {
  if (!value.is_array()) return true;
  const Json* rest = wanted.is_array() ? nullptr : &wanted;
  if (wanted.is_array())
    if (const auto found = schema.find("additionalItems"); found != schema.end()) rest = &*found;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Json* one = wanted.is_array() && i < wanted.size() ? &wanted[i] : rest;
    if (one == nullptr) return true;
    if (!inside("[" + std::to_string(i) + "]", *one, value[i])) return false;
  }
  return true;
}

bool SchemaChecker::min_items(const Json&, const Json& wanted, const Json& value) {
  return !value.is_array() || static_cast<long double>(value.size()) >= number_of(wanted) ||
         fail("minItems", "it must have at least " + shown(wanted) + " items", value);
}

bool SchemaChecker::max_items(const Json&, const Json& wanted, const Json& value) {
  return !value.is_array() || static_cast<long double>(value.size()) <= number_of(wanted) ||
         fail("maxItems", "it must have at most " + shown(wanted) + " items", value);
}

bool SchemaChecker::unique_items(const Json&, const Json& wanted, const Json& value) {
  if (!value.is_array() || !wanted.get<bool>()) return true;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < value.size(); ++i) {
    std::string text = text_by_value(value[i]);
    if (!step(1 + text.size() / 16)) return false;
    if (!seen.insert(std::move(text)).second)
      return fail("uniqueItems", "item [" + std::to_string(i) + "] is there twice", value);
  }
  return true;
}

bool SchemaChecker::contains(const Json&, const Json& wanted, const Json& value) {
  if (!value.is_array()) return true;
  for (const Json& item : value)
    if (fits(wanted, item) || spent_) return !spent_;
  return fail("contains", "no item fits the schema under \"contains\"", value);
}

// ---- objects -----------------------------------------------------------------------------------

bool SchemaChecker::required(const Json&, const Json& wanted, const Json& value) {
  if (!value.is_object()) return true;
  if (!step(wanted.size())) return false;
  for (const Json& name : wanted)
    if (!value.contains(name.get_ref<const std::string&>()))
      return tell("required", "property " + shown(name) + " is missing");
  return true;
}

bool SchemaChecker::min_properties(const Json&, const Json& wanted, const Json& value) {
  return !value.is_object() || static_cast<long double>(value.size()) >= number_of(wanted) ||
         fail("minProperties", "it must have at least " + shown(wanted) + " properties", value);
}

bool SchemaChecker::max_properties(const Json&, const Json& wanted, const Json& value) {
  return !value.is_object() || static_cast<long double>(value.size()) <= number_of(wanted) ||
         fail("maxProperties", "it must have at most " + shown(wanted) + " properties", value);
}

bool SchemaChecker::properties(const Json&, const Json& wanted, const Json& value) {
  if (!value.is_object()) return true;
  for (const auto& [name, schema] : wanted.items()) {
    const auto found = value.find(name);
    if (found != value.end() && !inside(name_part(name), schema, *found)) return false;
  }
  return step(wanted.size());
}

bool SchemaChecker::pattern_properties(const Json&, const Json& wanted, const Json& value) {
  if (!value.is_object()) return true;
  for (const auto& [pattern, schema] : wanted.items())
    for (const auto& [name, inner] : value.items())
      if (matches(pattern, name) && !inside(name_part(name), schema, inner)) return false;
  return !spent_;
}

bool SchemaChecker::additional_properties(const Json& schema, const Json& wanted,
                                          const Json& value) {
  if (!value.is_object()) return true;
  for (const auto& [name, inner] : value.items()) {
    if (!step()) return false;
    if (declared(schema, name)) continue;
    if (wanted.is_boolean() && !wanted.get<bool>())
      return tell("additionalProperties", "there may be no property " +
                                              shown(Json(name_part(name))) + "; there may be " +
                                              known_names(schema));
    if (!inside(name_part(name), wanted, inner)) return false;
  }
  return true;
}

bool SchemaChecker::declared(const Json& schema, const std::string& name) {
  if (holds(schema, "properties") && schema["properties"].contains(name)) return true;
  if (!holds(schema, "patternProperties")) return false;
  for (const auto& [pattern, unused] : schema["patternProperties"].items())
    if (matches(pattern, name)) return true;
  return false;
}

std::string SchemaChecker::known_names(const Json& schema) {
  Json names = Json::array();
  if (holds(schema, "properties"))
    for (const auto& [name, unused] : schema["properties"].items()) names.push_back(name);
  return names.empty() ? "none" : listed(names);
}

bool SchemaChecker::property_names(const Json&, const Json& wanted, const Json& value) {
  if (!value.is_object()) return true;
  for (const auto& [name, unused] : value.items())
    if (!fits(wanted, Json(name))) {
      if (spent_) return false;
      return tell("propertyNames", "the name " + shown(Json(name_part(name))) + " is not allowed");
    }
  return true;
}

bool SchemaChecker::dependencies(const Json&, const Json& wanted, const Json& value) {
  if (!value.is_object()) return true;
  for (const auto& [name, needs] : wanted.items()) {
    if (!step()) return false;
    if (!value.contains(name)) continue;
    const bool good = needs.is_array() ? required(needs, needs, value) : fits(needs, value);
    if (!good) return false;
  }
  return true;
}

}  // namespace ba
