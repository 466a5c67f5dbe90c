// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/schema_numbers.hpp"

#include <algorithm>
#include <limits>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/core/tool/schema_parts.hpp"
#include "pipeline/text/semantic/schema_walk.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownDigits = 80;
constexpr std::int64_t kExactMost = std::int64_t{1} << 53;

std::optional<std::int64_t> as_integer(const Json& number) {
  if (number.is_number_integer()) return std::nullopt;  // it is one
  if (number.is_number_float()) {
    const double value = number.get<double>();
    const bool exact = std::nearbyint(value) == value && std::fabs(value) <= 0x1p53;
    return exact ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
  }
  const Decimal value = decimal_value(number);
  if (!value.whole() || value.point > 19) return std::nullopt;
  std::string digits = value.negative ? "-" : "";
  digits += value.zero() ? "0" : value.digits;
  if (!value.zero())
    digits.append(static_cast<std::size_t>(value.point) - value.digits.size(), '0');
  const Json integer = number_as_written<Json>(digits);
  const bool fits = integer.is_number_integer() &&
                    (!integer.is_number_unsigned() || integer.get<std::uint64_t>() <= INT64_MAX);
  return fits ? std::optional(integer.get<std::int64_t>()) : std::nullopt;
}

Json judged(const Json& number) {
  if (const auto integer = as_integer(number)) return *integer;
  const bool wide = number.is_number_unsigned() && number.get<std::uint64_t>() > INT64_MAX;
  if (number.is_number() && !wide) return number;
  constexpr double kMost = std::numeric_limits<double>::max();
  return std::clamp(nearest_double(number), -kMost, kMost);
}

void judge(Json& value) {
  if (is_any_number(value))
    value = judged(value);
  else if (value.is_structured())
    for (Json& inner : value) judge(inner);
}

/// Whether a double can stand for it.
bool exact_as_double(const Json& number) {
  if (is_kept_number(number)) return false;
  if (number.is_number_unsigned()) return number.get<std::uint64_t>() <= kExactMost;
  if (!number.is_number_integer()) return true;
  return number.get<std::int64_t>() >= -kExactMost && number.get<std::int64_t>() <= kExactMost;
}

bool asks_for_integer(const Json& schema) {
  const auto type = schema.is_object() ? schema.find("type") : schema.end();
  if (!schema.is_object() || type == schema.end()) return false;
  return *type == "integer" ||
         (type->is_array() && std::find(type->begin(), type->end(), "integer") != type->end() &&
          std::find(type->begin(), type->end(), "number") == type->end());
}

std::string shown(const Json& number) { return cut_code_points(number_text(number), kShownDigits); }

bool has_number(const Json& value) {
  if (is_any_number(value)) return true;
  return value.is_structured() && std::ranges::any_of(value, has_number);
}

/// Visits the numbers whose schema is known (`visit(schema, number, place)`); false: a visit was.
/// `Value`: Json, or const Json.
template <typename Value, typename Visit>
bool each_number(const SchemaWalk& walk, const Json* schema, Value& value, const std::string& place,
                 const Visit& visit) {
  schema = walk.resolve(schema);
  if (schema == nullptr || !schema->is_object()) return true;
  if (is_any_number(value)) return visit(*schema, value, place);
  const auto part = [&](const char* name) {
    const auto found = schema->find(name);
    return found != schema->end() && found->is_object() ? &*found : nullptr;
  };
  if (value.is_array()) {
    const Json* const items = part("items");
    for (std::size_t i = 0; items != nullptr && i < value.size(); ++i)
      if (!each_number(walk, items, value[i], place + "[" + std::to_string(i) + "]", visit))
        return false;
  }
  const Json* const properties = value.is_object() ? part("properties") : nullptr;
  if (properties == nullptr) return true;
  for (auto member = value.begin(); member != value.end(); ++member) {
    const auto inner = properties->find(member.key());
    const std::string name = place.empty() ? member.key() : place + "." + member.key();
    if (inner != properties->end() && !each_number(walk, &*inner, *member, name, visit))
      return false;
  }
  return true;
}

struct Bound {
  const char* keyword;
  const char* words;
  bool (*good)(std::strong_ordering);
};

constexpr Bound kBounds[] = {
    {"minimum", "at least ", [](std::strong_ordering o) { return o >= 0; }},
    {"maximum", "at most ", [](std::strong_ordering o) { return o <= 0; }},
    {"exclusiveMinimum", "more than ", [](std::strong_ordering o) { return o > 0; }},
    {"exclusiveMaximum", "less than ", [](std::strong_ordering o) { return o < 0; }}};

bool one_of(const Json& choices, const Decimal& value) {
  return std::any_of(choices.begin(), choices.end(), [&](const Json& choice) {
    return is_any_number(choice) && decimal_value(choice) == value;
  });
}

/// What the schema wants instead, or nothing.
std::optional<std::string> wanted(const Json& schema, const Json& number) {
  const Decimal value = decimal_value(number);
  const bool exact = exact_as_double(number);
  const auto looked_at = [&](const Json& rule) {
    return is_any_number(rule) && (!exact || !exact_as_double(rule));
  };
  for (const Bound& bound : kBounds)
    if (const auto rule = schema.find(bound.keyword); rule != schema.end() && looked_at(*rule))
      if (!bound.good(value <=> decimal_value(*rule))) return bound.words + shown(*rule);
  if (const auto rule = schema.find("multipleOf"); rule != schema.end() && looked_at(*rule))
    if (!is_multiple_of(value, decimal_value(*rule))) return "a multiple of " + shown(*rule);
  if (const auto rule = schema.find("const"); rule != schema.end() && looked_at(*rule))
    if (value != decimal_value(*rule)) return "exactly " + shown(*rule);
  if (const auto rule = schema.find("enum"); !exact && rule != schema.end() && rule->is_array())
    if (!one_of(*rule, value)) return "one of the numbers of its enum";
  if (asks_for_integer(schema) && !value.whole()) return "integer";
  return std::nullopt;
}

}  // namespace

nlohmann::json judged_numbers(const Json& value) {
  if (is_any_number(value)) return judged(value);
  if (!value.is_structured()) return value;
  const bool object = value.is_object();
  nlohmann::json copy = object ? nlohmann::json::object() : nlohmann::json::array();
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (object)
      copy[item.key()] = judged_numbers(*item);
    else
      copy.push_back(judged_numbers(*item));
  }
  return copy;
}

nlohmann::json judging_schema(Json schema) {
  judge(schema);
  change_schemas(schema, [](Json& one) {
    if (!asks_for_integer(one)) return;
    Json types = one["type"].is_array() ? one["type"] : Json::array({one["type"]});
    types.push_back("number");
    one["type"] = std::move(types);
    // Of the others it says nothing. As a double: the validator divides integers otherwise.
    Json rules = one.value("allOf", Json::array());
    rules.push_back({{"multipleOf", 1.0}});
    one["allOf"] = std::move(rules);
  });
  return schema;
}

std::optional<std::string> inexact_misfit(const Json& schema, const Json& arguments) {
  std::optional<std::string> misfit;
  if (!has_number(arguments)) return misfit;
  const auto visit = [&misfit](const Json& rules, const Json& number, const std::string& place) {
    const auto instead = wanted(rules, number);
    if (instead) misfit = place + ": " + shown(number) + " is not allowed; expected " + *instead;
    return !instead;
  };
  each_number(SchemaWalk(schema), &schema, arguments, "", visit);
  return misfit;
}

void make_integers(const Json& schema, Json& arguments) {
  if (!has_number(arguments)) return;
  each_number(SchemaWalk(schema), &schema, arguments, "",
              [](const Json& rules, Json& number, const std::string&) {
                if (!asks_for_integer(rules)) return true;
                const auto integer = as_integer(number);
                if (integer && *integer >= 0)
                  number = static_cast<std::uint64_t>(*integer);  // as it is read
                else if (integer)
                  number = *integer;
                return true;
              });
}

}  // namespace ba
