// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/decimal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ba {
namespace {

constexpr std::size_t kExponentDigitsMax = 15;
constexpr std::size_t kDivisorDigitsMax = 18;  // below 2^63
constexpr std::int64_t kPlainPlacesMax = 21;
constexpr std::int64_t kPlainZerosMax = 6;
__extension__ using Wide = unsigned __int128;

std::int64_t exponent_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  std::int64_t exponent = 0;
  if (text.size() > kExponentDigitsMax)
    exponent = 999'999'999'999'999;
  else
    for (const char c : text) exponent = exponent * 10 + (c - '0');
  return negative ? -exponent : exponent;
}

std::strong_ordering by_size(const Decimal& left, const Decimal& right) {
  if (left.zero() || right.zero()) return left.digits.size() <=> right.digits.size();
  if (left.point != right.point) return left.point <=> right.point;
  return left.digits.compare(right.digits) <=> 0;
}

std::uint64_t remainder_of(std::string_view digits, std::uint64_t divisor) {
  Wide left = 0;
  for (const char c : digits) left = (left * 10 + static_cast<unsigned>(c - '0')) % divisor;
  return static_cast<std::uint64_t>(left);
}

std::uint64_t power_of_ten(std::int64_t exponent, std::uint64_t modulus) {
  Wide result = 1 % modulus;
  for (Wide base = 10 % modulus; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * base % modulus;
    base = base * base % modulus;
  }
  return static_cast<std::uint64_t>(result);
}

double nearest(const Decimal& number) {
  const std::string text = "0." + number.digits + "e" + std::to_string(number.point);
  return std::strtod(text.c_str(), nullptr);
}

}  // namespace

std::strong_ordering operator<=>(const Decimal& left, const Decimal& right) {
  if (left.negative != right.negative)
    return left.negative ? std::strong_ordering::less : std::strong_ordering::greater;
  return left.negative ? by_size(right, left) : by_size(left, right);
}

Decimal decimal_of(std::string_view number) {
  Decimal value;
  value.negative = number.starts_with('-');
  if (value.negative) number.remove_prefix(1);
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  value.digits = digits.substr(0, point);
  if (point < digits.size()) value.digits += digits.substr(point + 1);
  const std::size_t zeros = std::min(value.digits.find_first_not_of('0'), value.digits.size());
  value.digits.erase(0, zeros);
  while (value.digits.ends_with('0')) value.digits.pop_back();
  if (value.zero()) return {};
  value.point = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(zeros);
  if (e < number.size()) value.point += exponent_of(number.substr(e + 1));
  return value;
}

bool is_multiple_of(const Decimal& value, const Decimal& divisor) {
  if (value.zero()) return true;
  if (divisor.zero()) return false;
  if (divisor.digits.size() > kDivisorDigitsMax) {
    const double quotient = nearest(value) / nearest(divisor);
    return std::nearbyint(quotient) == quotient;
  }
  // value = v × 10^i and divisor = d × 10^j, and v has no zero at its end.
  const std::int64_t i = value.point - static_cast<std::int64_t>(value.digits.size());
  const std::int64_t j = divisor.point - static_cast<std::int64_t>(divisor.digits.size());
  if (i < j) return false;
  const std::uint64_t d = std::stoull(divisor.digits);
  const Wide left = Wide{remainder_of(value.digits, d)} * power_of_ten(i - j, d);
  return left % d == 0;
}

void append_decimal_text(std::string& out, const Decimal& number) {
  if (number.zero()) {
    out += '0';
    return;
  }
  if (number.negative) out += '-';
  const auto count = static_cast<std::int64_t>(number.digits.size());
  if (number.point > kPlainPlacesMax || number.point <= -kPlainZerosMax) {
    out += number.digits[0];
    if (count > 1) out += "." + number.digits.substr(1);
    const std::int64_t exponent = number.point - 1;
    out += std::string("e") + (exponent < 0 ? "" : "+") + std::to_string(exponent);
  } else if (number.point <= 0) {
    out += "0." + std::string(static_cast<std::size_t>(-number.point), '0') + number.digits;
  } else if (number.point >= count) {
    out += number.digits + std::string(static_cast<std::size_t>(number.point - count), '0');
  } else {
    const auto before = static_cast<std::size_t>(number.point);
    out += number.digits.substr(0, before) + "." + number.digits.substr(before);
  }
}

const char* number_problem(std::string_view number) {
  if (number.size() > kNumberCharactersMax) return "a number of more than 1000 characters";
  const bool may_be_huge = number.size() > 300 || number.find_first_of("eE") != number.npos;
  if (may_be_huge && decimal_of(number).point > kNumberPlacesMax) return "a number beyond 10^1000";
  return nullptr;
}

}  // namespace ba
