#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads JSON of others and writes it again with every number as it was written. Whoever parses or
// writes what isn't wholly ours goes this way: dump() of the library writes a kept number as an
// object of bytes. For nlohmann::json and nlohmann::ordered_json. Pure; any thread.

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "pipeline/base/decimal.hpp"

namespace ba {

// Kept numbers: those in a tree of JSON whose digits neither a 64-bit integer nor a double gives
// back: 1.10, 1e5, -0, 2^64 and all with more than 17 digits. The library knows no such numbers;
// here they stand as its binary values, which JSON text can't make, and hold the number as it was
// written.

template <typename Json>
bool is_kept_number(const Json& value) {
  return value.is_binary();
}

/// Of a number of either kind.
template <typename Json>
bool is_any_number(const Json& value) {
  return value.is_number() || is_kept_number(value);
}

/// As it was written.
template <typename Json>
std::string_view kept_text(const Json& value) {
  const auto& bytes = value.get_binary();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether the library writes the double with these very digits.
inline bool double_writes(double value, std::string_view text) {
  constexpr std::size_t kLongest = 64;
  if (!std::isfinite(value) || text.size() >= kLongest) return false;
  char digits[kLongest];
  const char* const end = nlohmann::detail::to_chars(digits, digits + kLongest, value);
  return std::string_view(digits, static_cast<std::size_t>(end - digits)) == text;
}

template <typename Json>
Json kept_number(std::string_view text) {
  return Json::binary(typename Json::binary_t::container_type(text.begin(), text.end()));
}

/// A number by JSON's grammar, kept as written where the library would write it otherwise.
template <typename Json>
Json number_as_written(std::string_view text) {
  const char* const end = text.data() + text.size();
  if (text.find_first_of(".eE") == text.npos && text != "-0") {
    std::int64_t whole = 0;
    if (std::from_chars(text.data(), end, whole).ec == std::errc()) return Json(whole);
    std::uint64_t natural = 0;
    if (text[0] != '-' && std::from_chars(text.data(), end, natural).ec == std::errc())
      return Json(natural);
  }
  double real = 0;
  const auto read = std::from_chars(text.data(), end, real);
  if (read.ec == std::errc() && double_writes(real, text)) return Json(real);
  return kept_number<Json>(text);
}

/// Of a number of either kind, as it is written.
template <typename Json>
std::string number_text(const Json& value) {
  return is_kept_number(value) ? std::string(kept_text(value)) : value.dump();
}

template <typename Json>
Decimal decimal_value(const Json& value) {
  return decimal_of(number_text(value));
}

/// For whom a double is enough; too large a number is infinite.
template <typename Json>
double nearest_double(const Json& value) {
  if (!is_kept_number(value)) return value.template get<double>();
  return std::strtod(std::string(kept_text(value)).c_str(), nullptr);
}

/// One JSON value (RFC 8259); `discarded` for anything else, and for a number beyond the limits of
/// decimal.hpp. Of members of the same name the last counts.
template <typename Json>
Json parse_exact(std::string_view text);

/// Of text that is known to be readable JSON; throws like the library where it is not.
template <typename Json>
Json parse_exact_known(std::string_view text);

/// Tells `sax` what comes, kept numbers as binary values. False: it isn't JSON, or sax refused.
template <typename Json>
bool sax_exact(std::string_view text, nlohmann::json_sax<Json>& sax);

bool accept_exact(std::string_view text);

/// On one line, or indented as the library does. Bytes that aren't UTF-8 are replaced.
template <typename Json>
std::string dump_exact(const Json& value, int indent = -1);

extern template nlohmann::json parse_exact(std::string_view);
extern template nlohmann::ordered_json parse_exact(std::string_view);
extern template nlohmann::json parse_exact_known(std::string_view);
extern template nlohmann::ordered_json parse_exact_known(std::string_view);
extern template bool sax_exact(std::string_view, nlohmann::json_sax<nlohmann::json>&);
extern template bool sax_exact(std::string_view, nlohmann::json_sax<nlohmann::ordered_json>&);
extern template std::string dump_exact(const nlohmann::json&, int);
extern template std::string dump_exact(const nlohmann::ordered_json&, int);

}  // namespace ba
