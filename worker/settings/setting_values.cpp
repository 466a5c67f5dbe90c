// SPDX-License-Identifier: Apache-2.0
// Numbers, truth values and choices; texts and secrets are in setting_texts.cpp, lists and maps in
// setting_lists.cpp.
#include "worker/settings/setting_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/lower_case.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "worker/settings/micro_usd.hpp"

namespace ba::settings {
namespace {

using Kind = SettingShape::Kind;

std::string real_text(double number) {
  std::array<char, 32> digits{};
  const auto [end, failure] = std::to_chars(digits.begin(), digits.end(), number);
  return {digits.begin(), failure == std::errc() ? end : digits.begin()};
}

void refuse_small(const GivenValue& given, Bounds bounds, const std::string& value) {
  given.refuse({.kind = SettingProblem::Kind::TooSmall,
                .value = value,
                .allowed = bounds.least == 1 ? "positive" : "non-negative"});
}

std::optional<std::int64_t> whole_number(const GivenValue& given, Bounds bounds) {
  const std::string span =
      "a whole number from " + std::to_string(bounds.least) + " to " + std::to_string(bounds.most);
  const std::string* scalar = given.scalar(span);
  if (scalar == nullptr) return std::nullopt;
  std::string digits;
  std::ranges::remove_copy(*scalar, std::back_inserter(digits), '_');
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = failure == std::errc() && end == digits.data() + digits.size();
  if (whole && bounds.hold(number)) return number;
  if (whole && number < bounds.least && (bounds.least == 1 || bounds.least == 0))
    refuse_small(given, bounds, std::to_string(number));
  else
    given.not_allowed(*scalar, span);
  return std::nullopt;
}

template <typename Value>
void read_whole(const GivenValue& given, Value& value, Bounds bounds) {
  if (const auto number = whole_number(given, bounds)) value = static_cast<Value>(*number);
  given.show(std::to_string(value), {.kind = Kind::Whole, .bounds = bounds});
}

std::optional<double> real_number(const GivenValue& given, RealBounds bounds) {
  const std::string allowed =
      "a number from " + real_text(bounds.least) + " to " + real_text(bounds.most);
  const std::string* scalar = given.scalar(allowed);
  if (scalar == nullptr) return std::nullopt;
  double number = 0;
  const char* last = scalar->data() + scalar->size();
  const auto [end, failure] = std::from_chars(scalar->data(), last, number);
  if (failure == std::errc() && end == last && number >= bounds.least && number <= bounds.most)
    return number;
  given.not_allowed(*scalar, allowed);
  return std::nullopt;
}

SettingShape shape_of(RealBounds bounds) {
  return {.kind = Kind::Real, .least = bounds.least, .most = bounds.most};
}

}  // namespace

void read_value(const GivenValue& given, std::int64_t& value, Bounds bounds) {
  read_whole(given, value, bounds);
}

void read_value(const GivenValue& given, int& value, Bounds bounds) {
  read_whole(given, value, bounds);
}

void read_value(const GivenValue& given, std::size_t& value, Bounds bounds) {
  read_whole(given, value, bounds);
}

void read_value(const GivenValue& given, Milliseconds& value, Bounds bounds) {
  std::int64_t count = value.count();
  read_whole(given, count, bounds);
  value = Milliseconds(count);
}

void read_value(const GivenValue& given, double& value, RealBounds bounds) {
  value = real_number(given, bounds).value_or(value);
  given.show(real_text(value), shape_of(bounds));
}

void read_value(const GivenValue& given, std::optional<double>& value, RealBounds bounds) {
  if (auto number = real_number(given, bounds)) value = number;
  given.show(value ? real_text(*value) : "null", shape_of(bounds));
}

void read_value(const GivenValue& given, bool& value) {
  if (const std::string* scalar = given.scalar("true or false")) {
    const std::string word = lower_case(*scalar);
    const bool yes = word == "true" || word == "yes" || word == "on" || word == "1";
    const bool no = word == "false" || word == "no" || word == "off" || word == "0";
    if (yes || no)
      value = yes;
    else
      given.not_allowed(*scalar, "true or false");
  }
  given.show(value ? "true" : "false", {.kind = Kind::Boolean});
}

void read_value(const GivenValue& given, const Dollars& value, Bounds bounds) {
  const std::string form = "an amount of dollars with at most 6 decimal places, like 0.25";
  if (const std::string* scalar = given.scalar(form)) {
    const auto amount = parse_micro_usd(*scalar);
    if (!amount)
      given.not_allowed(*scalar, form);
    else if (*amount < bounds.least && bounds.least == 0)
      refuse_small(given, bounds, given.map().findings().shortened(*scalar));
    else if (!bounds.hold(*amount))
      given.not_allowed(*scalar, micro_usd_text(bounds.least) + " to " +
                                     micro_usd_text(bounds.most) + " dollars");
    else
      value.micro_usd = *amount;
  }
  given.show(micro_usd_text(value.micro_usd), {.kind = Kind::Dollars, .bounds = bounds});
}

std::optional<std::size_t> read_choice(const GivenValue& given, const std::string& current,
                                       const std::vector<std::string>& allowed) {
  std::optional<std::size_t> chosen;
  std::string shown = current;
  if (const std::string* scalar = given.scalar("one of " + joined(allowed))) {
    const auto found = std::ranges::find(allowed, lower_case(*scalar));
    if (found != allowed.end()) {
      chosen = static_cast<std::size_t>(found - allowed.begin());
      shown = *found;
    } else {
      const auto nearest = nearest_word(*scalar, allowed);
      given.refuse({.kind = SettingProblem::Kind::NotAChoice,
                    .value = given.map().findings().shortened(*scalar),
                    .allowed = joined(allowed),
                    .nearest = nearest ? quoted(*nearest) : ""});
    }
  }
  given.show(quoted(shown), {.kind = Kind::Choice, .choices = allowed});
  return chosen;
}

}  // namespace ba::settings
