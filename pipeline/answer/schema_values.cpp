// SPDX-License-Identifier: Apache-2.0
#include "pipeline/answer/schema_values.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pipeline/message/utf8.hpp"
#include "pipeline/tool/output_level.hpp"

namespace ba::schema_values {

using Json = nlohmann::json;

namespace {

constexpr std::size_t kShownNames = 20;

bool is_whole(const Json& value) {
  return value.is_number_integer() ||
         (value.is_number_float() && std::nearbyint(value.get<double>()) == value.get<double>());
}

}  // namespace

std::string shown(const Json& value) {
  if (value.is_object()) return "an object of " + std::to_string(value.size()) + " properties";
  if (value.is_array()) return "an array of " + std::to_string(value.size()) + " items";
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
  return value.get<double>();
}

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "integer") return is_whole(value);
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "boolean") return value.is_boolean();
  return value.is_null();
}

bool is_multiple(const Json& value, const Json& divisor) {
  if (value.is_number_integer() && divisor.is_number_integer() && !value.is_number_unsigned())
    return value.get<std::int64_t>() % divisor.get<std::int64_t>() == 0;
  if (value.is_number_unsigned() && divisor.is_number_integer())
    return value.get<std::uint64_t>() % divisor.get<std::uint64_t>() == 0;
  const long double quotient = number_of(value) / number_of(divisor);
  return std::fabs(quotient - std::nearbyint(quotient)) <=
         1e-9L * std::max(1.0L, std::fabs(quotient));
}

void make_whole(Json& value) {
  if (value.is_number_float() && is_whole(value) && std::fabs(value.get<double>()) <= 0x1p53)
    value = static_cast<std::int64_t>(value.get<double>());
  if (value.is_structured())
    for (Json& inner : value) make_whole(inner);
}

}  // namespace ba::schema_values
