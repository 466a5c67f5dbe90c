// SPDX-License-Identifier: Apache-2.0
#include "worker/http/retry_wait.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <string>

#include "worker/http/wait_text.hpp"

namespace ba {
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

}  // namespace ba
