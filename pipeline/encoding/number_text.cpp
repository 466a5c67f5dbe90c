// SPDX-License-Identifier: Apache-2.0
#include "pipeline/encoding/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "pipeline/message/json_scan.hpp"

namespace ba {
namespace {

constexpr double kDecimalLeast = 1e-6;
constexpr double kDecimalBelow = 1e21;
constexpr double kWholeMost = 9007199254740992.0;  // 2^53: each whole number up to it is a double

bool skip_digits(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  while (at < text.size() && is_json_digit(text[at])) ++at;
  return at > begin;
}

bool skip(std::string_view text, std::size_t& at, std::string_view any) {
  if (at == text.size() || any.find(text[at]) == std::string_view::npos) return false;
  ++at;
  return true;
}

template <typename Integer>
std::optional<OrderedJson> integer_of(std::string_view text) {
  Integer value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return OrderedJson(value);
}

/// Of a number that is out of a double's range: whether it is too small rather than too great.
bool is_tiny(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  const auto place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view rest = text.substr(e + 1);
    const bool negative = rest.front() == '-';
    if (rest.front() == '+') rest.remove_prefix(1);
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), exponent);
    if (read.ec != std::errc()) return negative;
  }
  return exponent < -place;
}

std::optional<double> double_of(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec == std::errc()) return value;
  if (!is_tiny(text)) return std::nullopt;
  return text.front() == '-' ? -0.0 : 0.0;
}

}  // namespace

bool is_json_number(std::string_view text) {
  std::size_t at = 0;
  skip(text, at, "-");
  if (!skip(text, at, "0") && !skip_digits(text, at)) return false;
  if (skip(text, at, ".") && !skip_digits(text, at)) return false;
  if (skip(text, at, "eE")) {
    skip(text, at, "+-");
    if (!skip_digits(text, at)) return false;
  }
  return at == text.size();
}

std::optional<OrderedJson> number_of(std::string_view text) {
  if (text.find_first_of(".eE") == std::string_view::npos) {
    if (auto value = integer_of<std::int64_t>(text)) return value;
    if (auto value = integer_of<std::uint64_t>(text)) return value;
  }
  const auto value = double_of(text);
  if (!value) return std::nullopt;
  return OrderedJson(*value);
}

std::optional<OrderedJson> normalized_number_of(std::string_view text) {
  auto number = number_of(text);
  if (!number || !number->is_number_float()) return number;
  const double value = number->get<double>();
  if (std::abs(value) > kWholeMost || value != std::floor(value)) return number;
  return OrderedJson(static_cast<std::int64_t>(value));
}

void append_decimal(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  if (value == 0) {
    out += '0';
    return;
  }
  const double size = std::abs(value);
  const bool decimal = size >= kDecimalLeast && size < kDecimalBelow;
  std::array<char, 64> buffer{};
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                    decimal ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  out += text.substr(0, e);
  if (e == std::string_view::npos) return;
  out += text.substr(e, 2);  // with its sign; "e-07" is written "e-7"
  const std::string_view digits = text.substr(e + 2);
  out += digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
}

}  // namespace ba
