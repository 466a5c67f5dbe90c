// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/answer/schema_values.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "pipeline/text/semantic/canonical_json.hpp"

namespace ba::schema_values {

using Json = nlohmann::json;

namespace {

constexpr std::size_t kShownNames = 20;

bool is_whole(const Json& value) {
  return value.is_number_integer() || (is_any_number(value) && decimal_value(value).whole());
}

/// Whether doubles tell it from all others that they hold.
bool exact_as_double(const Json& value) {
  constexpr double kMost = 0x1p53;
  return value.is_number() && (value.is_number_float() || std::fabs(value.get<double>()) < kMost);
}

}  // namespace

std::string shown(const Json& value) {
  if (value.is_object()) return "an object of " + std::to_string(value.size()) + " properties";
  if (value.is_array()) return "an array of " + std::to_string(value.size()) + " items";
  if (is_kept_number(value)) return cut_code_points(kept_text(value), kShownValue);
  if (!value.is_string()) return value.dump();
  const std::string_view start = utf8_prefix(value.get_ref<const std::string&>(), 4 * kShownValue);
  return cut_code_points(Json(start).dump(), kShownValue);
}

std::string listed(const Json& values) {
  std::string text;
  std::size_t count = 0;
  for (const Json& value : values) {
    if (count++ == kShownNames) return text + ", …";
    text += (count > 1 ? ", " : "") + shown(value);
  }
  return text;
}

long double number_of(const Json& value) {
  if (value.is_number_unsigned()) return static_cast<long double>(value.get<std::uint64_t>());
  if (value.is_number_integer()) return static_cast<long double>(value.get<std::int64_t>());
  return nearest_double(value);
}

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "integer") return is_whole(value);
  if (type == "number") return is_any_number(value);
  if (type == "string") return value.is_string();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "boolean") return value.is_boolean();
  return value.is_null();
}

bool is_multiple(const Json& value, const Json& divisor) {
  if (value.is_number_integer() && divisor.is_number_integer() && !value.is_number_unsigned())
    return value.get<std::int64_t>() % divisor.get<std::int64_t>() == 0;
  return is_multiple_of(decimal_value(value), decimal_value(divisor));
}

std::strong_ordering compared(const Json& left, const Json& right) {
  if (!exact_as_double(left) || !exact_as_double(right))
    return decimal_value(left) <=> decimal_value(right);
  const auto l = left.get<double>(), r = right.get<double>();
  if (l < r) return std::strong_ordering::less;
  return l > r ? std::strong_ordering::greater : std::strong_ordering::equal;
}

bool same(const Json& left, const Json& right) {
  if (is_any_number(left) && is_any_number(right)) return compared(left, right) == 0;
  if (left.is_array() && right.is_array())
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), same);
  if (!left.is_object() || !right.is_object()) return left == right;
  if (left.size() != right.size()) return false;
  for (auto a = left.begin(), b = right.begin(); a != left.end(); ++a, ++b)  // both sorted by name
    if (a.key() != b.key() || !same(*a, *b)) return false;
  return true;
}

std::string text_by_value(const Json& value) {
  return canonical_json(nlohmann::ordered_json(value), WideIntegers::Exact);
}

}  // namespace ba::schema_values
