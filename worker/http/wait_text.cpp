// SPDX-License-Identifier: Apache-2.0
#include "worker/http/wait_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "pipeline/base/lower_case.hpp"

namespace ba {
namespace {

constexpr double kMillisecondsMax = 1e12;

struct Unit {
  std::string_view name;
  double milliseconds;
};

constexpr std::array kUnits = std::to_array<Unit>({
    {"ms", 1},           {"msec", 1},         {"msecs", 1},         {"millisecond", 1},
    {"milliseconds", 1}, {"s", 1000},         {"sec", 1000},        {"secs", 1000},
    {"second", 1000},    {"seconds", 1000},   {"m", 60'000},        {"min", 60'000},
    {"mins", 60'000},    {"minute", 60'000},  {"minutes", 60'000},  {"h", 3'600'000},
    {"d", 86'400'000},   {"day", 86'400'000}, {"days", 86'400'000}, {"hr", 3'600'000},
    {"hour", 3'600'000}, {"hrs", 3'600'000},  {"hours", 3'600'000},
});

/// What stands before the duration. Longer ones first where one begins like another.
constexpr std::array<std::string_view, 9> kAsks{"again in ",     "again after ", "retry in ",
                                                "retry after ",  "wait for ",    "wait ",
                                                "available in ", "resets in ",   "reset after "};

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return c >= 'a' && c <= 'z'; }

/// Reads a duration from the front of a text, as far as it goes.
class Reader {
 public:
  explicit Reader(std::string_view lower) : rest_(lower) {}

  /// One number with its unit; false: something else comes.
  bool next() {
    std::string_view rest = rest_;
    skip_blanks(rest);
    double number = 0;
    if (rest.empty() || !digit(rest.front())) return false;
    const auto read =
        std::from_chars(rest.data(), rest.data() + rest.size(), number, std::chars_format::fixed);
    if (read.ec != std::errc()) return false;
    rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
    const bool alone = rest.empty() || (std::string_view(".,;!) ").find(rest.front()) != rest.npos);
    skip_blanks(rest);
    if (parts_ == 0 && alone && (rest.empty() || !letter(rest.front()))) first_number_ = number;
    const auto end = std::ranges::find_if_not(rest, letter);
    const auto unit = std::ranges::find(
        kUnits, rest.substr(0, static_cast<std::size_t>(end - rest.begin())), &Unit::name);
    if (unit == kUnits.end()) return false;
    sum_ += number * unit->milliseconds;
    ++parts_;
    rest.remove_prefix(unit->name.size());
    rest_ = rest;
    skip_joint(rest_);
    return true;
  }

  bool at_end() const { return rest_.empty(); }
  int parts() const { return parts_; }
  std::optional<double> first_number() const { return first_number_; }

  std::optional<Milliseconds> sum() const {
    if (!(sum_ > 0)) return std::nullopt;
    return Milliseconds(static_cast<std::int64_t>(std::llround(std::min(sum_, kMillisecondsMax))));
  }

 private:
  static void skip_blanks(std::string_view& text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }

  /// "1 minute and 30 seconds", "1 minute, 30 seconds".
  static void skip_joint(std::string_view& text) {
    for (const std::string_view joint : {" and ", ", "})
      if (text.substr(0, joint.size()) == joint && text.size() > joint.size() &&
          digit(text[joint.size()]))
        return text.remove_prefix(joint.size());
  }

  std::string_view rest_;
  double sum_ = 0;
  int parts_ = 0;
  std::optional<double> first_number_;
};

std::optional<Milliseconds> seconds(double count) {
  if (!(count > 0)) return std::nullopt;
  return Milliseconds(
      static_cast<std::int64_t>(std::llround(std::min(count * 1000, kMillisecondsMax))));
}

}  // namespace

std::optional<Milliseconds> parse_duration(std::string_view text) {
  const std::string lower = lower_case(text);
  Reader reader(lower);
  while (reader.next()) {
  }
  if (reader.parts() == 0 || !reader.at_end()) return std::nullopt;
  return reader.sum();
}

std::optional<Milliseconds> wait_in_words(std::string_view sentence) {
  const std::string lower = lower_case(sentence);
  for (const std::string_view ask : kAsks) {
    for (std::size_t at = lower.find(ask); at != lower.npos; at = lower.find(ask, at + 1)) {
      Reader reader(std::string_view(lower).substr(at + ask.size()));
      while (reader.next()) {
      }
      if (reader.parts() > 0) return reader.sum();
      if (reader.first_number()) return seconds(*reader.first_number());
    }
  }
  return std::nullopt;
}

}  // namespace ba
