// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/template_filter.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "tests/scripted_model/hash.hpp"
#include "tests/scripted_model/observed_data.hpp"

namespace ba::scripted {

namespace {

using Value = std::optional<std::string>;

constexpr std::array<std::string_view, 10> kFilters = {
    "regex", "json", "trim", "hash", "plus", "minus", "times", "divide", "round", "default"};

/// The first group of the first match, or the whole match when there is no group.
Value find_regex(const std::string& pattern, const std::string& value) {
  const re2::RE2 regex(pattern, re2::RE2::Quiet);
  if (!regex.ok()) return std::nullopt;
  std::array<re2::StringPiece, 2> found;
  const int groups = std::min(regex.NumberOfCapturingGroups(), 1);
  if (!regex.Match(value, 0, value.size(), re2::RE2::UNANCHORED, found.data(), groups + 1)) {
    return std::nullopt;
  }
  const re2::StringPiece& wanted = found[static_cast<std::size_t>(groups)];
  if (wanted.data() == nullptr) return std::nullopt;
  return std::string(wanted.data(), wanted.size());
}

/// The value at a JSON pointer into a tool's data; a string without its quotes.
Value find_json(const std::string& pointer, const std::string& value) {
  const auto document = observed_data(value);
  if (!document) return std::nullopt;
  try {
    const auto& found = document->at(nlohmann::json::json_pointer(pointer));
    return found.is_string() ? found.get<std::string>() : dump_exact(found);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::optional<double> to_number(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::string to_text(double number) {
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%.15g", number);
  return out.data();
}

Value calculate(std::string_view name, const std::string& argument, const std::string& value) {
  const std::optional<double> left = to_number(value);
  const std::optional<double> right = to_number(argument);
  if (!left || !right) return std::nullopt;
  if (name == "plus") return to_text(*left + *right);
  if (name == "minus") return to_text(*left - *right);
  if (name == "times") return to_text(*left * *right);
  if (*right == 0) return std::nullopt;
  return to_text(*left / *right);
}

Value round_to(const std::string& digits, const std::string& value) {
  const std::optional<double> number = to_number(value);
  const std::optional<double> places = to_number(digits.empty() ? "0" : digits);
  if (!number || !places || *places < 0 || *places > 15) return std::nullopt;
  std::array<char, 400> out{};
  std::snprintf(out.data(), out.size(), "%.*f", static_cast<int>(*places), *number);
  return std::string(out.data());
}

std::string trim(const std::string& value) {
  const std::size_t from = value.find_first_not_of(" \t\r\n");
  if (from == std::string::npos) return {};
  return value.substr(from, value.find_last_not_of(" \t\r\n") - from + 1);
}

}  // namespace

bool is_filter(std::string_view name) {
  return std::find(kFilters.begin(), kFilters.end(), name) != kFilters.end();
}

std::optional<std::string> apply_filter(std::string_view name, const std::string& argument,
                                        std::string value) {
  if (name == "regex") return find_regex(argument, value);
  if (name == "json") return find_json(argument, value);
  if (name == "trim") return trim(value);
  if (name == "hash") return Hash().add(value).hex();
  if (name == "round") return round_to(argument, value);
  if (name == "default") return value;
  return calculate(name, argument, value);
}

}  // namespace ba::scripted
