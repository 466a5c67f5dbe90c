// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/encoding/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "pipeline/base/decimal.hpp"
#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/encoding/yaml_scalar.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

constexpr double kDecimalLeast = 1e-6;
constexpr double kDecimalBelow = 1e21;

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

using Append = void (*)(std::string&, double);

/// A double where `append` writes it so, else the number as it is written.
std::optional<OrderedJson> number_as_by(Append append, std::string_view text) {
  auto number = number_of(text);
  if (!number || !is_kept_number(*number)) return number;
  const double nearest = nearest_double(*number);
  std::string written;
  append(written, nearest);
  if (std::isfinite(nearest) && written == text) number = nearest;
  return number;
}

/// Decimal digits, or "1e+21" beyond.
std::string decimal_text(double value) {
  const double size = std::abs(value);
  const bool decimal = size >= kDecimalLeast && size < kDecimalBelow;
  std::array<char, 64> buffer{};
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                    decimal ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  std::string out(text.substr(0, e));
  if (e == std::string_view::npos) return out;
  out += text.substr(e, 2);  // with its sign; "e-07" is written "e-7"
  const std::string_view digits = text.substr(e + 2);
  out += digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return out;
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
  if (number_problem(text) != nullptr) return std::nullopt;
  return number_as_written<OrderedJson>(text);
}

std::optional<OrderedJson> yaml_number_of(std::string_view text) {
  return number_as_by(append_yaml_double, text);
}

std::optional<OrderedJson> decimal_number_of(std::string_view text) {
  return number_as_by(append_decimal, text);
}

std::string with_json_digits(std::string text, double value) {
  std::string json = OrderedJson(value).dump();
  if (json == text || decimal_of(json) == decimal_of(text)) return text;
  return json;
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
  out += with_json_digits(decimal_text(value), value);
}

}  // namespace ba
