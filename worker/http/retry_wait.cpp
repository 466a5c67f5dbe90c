// SPDX-License-Identifier: Apache-2.0
#include "worker/http/retry_wait.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <string>

#include "pipeline/base/lower_case.hpp"

namespace ba::http {
namespace {

constexpr double kMillisecondsMax = 1e12;

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Milliseconds> positive(double count) {
  if (!(count > 0)) return std::nullopt;
  return bounded_milliseconds(count);
}

std::optional<WallTime> http_date(std::string_view value) {
  const std::string text(value);
  std::tm date{};
  const char* end = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return WallTime(std::chrono::seconds(timegm(&date)));
}

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

std::optional<Milliseconds> parse_retry_after(std::string_view value, WallTime now) {
  if (const auto seconds = number(value)) return positive(*seconds * 1000);
  if (const auto wait = parse_duration(value)) return wait;
  const auto at = http_date(value);
  if (!at || *at <= now) return std::nullopt;
  return std::chrono::ceil<Milliseconds>(*at - now);
}

std::optional<Milliseconds> asked_wait(const HttpHead& head, WallTime now) {
  if (const auto exact = number(head.header("retry-after-ms")))
    if (const auto wait = positive(*exact)) return wait;
  return parse_retry_after(head.header("retry-after"), now);
}

std::optional<Milliseconds> asked_wait(const HttpHead& head) {
  return asked_wait(head, http_date(head.header("date")).value_or(WallTime::max()));
}

Milliseconds bounded_milliseconds(double count) {
  return Milliseconds(static_cast<std::int64_t>(std::llround(std::min(count, kMillisecondsMax))));
}

double random_share(std::uint64_t random) { return static_cast<double>(random >> 11) * 0x1.0p-53; }

Milliseconds spread(Milliseconds wait, double jitter, std::uint64_t random) {
  return wait +
         bounded_milliseconds(static_cast<double>(wait.count()) * jitter * random_share(random));
}

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

}  // namespace ba::http
