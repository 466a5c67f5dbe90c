#pragma once
// SPDX-License-Identifier: Apache-2.0
// A number of JSON by its exact value, however many digits it has: compared, and asked for what a
// schema asks of it. 1, 1.0 and 10e-1 are one value. Values and pure functions; any thread.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace ba {

/// ±0.DIGITS × 10^point, without zeros at either end; zero has no digits and no sign.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t point = 0;

  bool zero() const { return digits.empty(); }
  bool whole() const { return point >= static_cast<std::int64_t>(digits.size()); }
  friend bool operator==(const Decimal&, const Decimal&) = default;
  friend std::strong_ordering operator<=>(const Decimal& left, const Decimal& right);
};

/// Of a number by JSON's grammar. An exponent of more than 15 digits counts as one of 15.
Decimal decimal_of(std::string_view number);

/// Exact for a divisor of at most 18 significant digits, else to a double's precision. Of zero
/// nothing is a multiple but zero.
bool is_multiple_of(const Decimal& value, const Decimal& divisor);

/// As ECMAScript lays a number out: digits up to 21 places, else "1.5e+30".
void append_decimal_text(std::string& out, const Decimal& number);

/// Limits of a number that is read: how long it is written, and how large it is. One that is tiny
/// has no limit: it is nearly zero to anybody.
inline constexpr std::size_t kNumberCharactersMax = 1000;
inline constexpr std::int64_t kNumberPlacesMax = 1000;

/// "a number of more than 1000 characters", or null.
const char* number_problem(std::string_view number);

}  // namespace ba
