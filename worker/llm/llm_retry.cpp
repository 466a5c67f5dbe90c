// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/llm_retry.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>

#include "worker/http/wait_text.hpp"

namespace ba {
namespace {

constexpr double kMillisecondsMax = 1e12;
constexpr int kOverloadFactor = 4;  // an overloaded provider recovers slowly

/// From 0 to 1.
double share(std::uint64_t random) { return static_cast<double>(random >> 11) * 0x1.0p-53; }

Milliseconds milliseconds(double count) {
  return Milliseconds(static_cast<std::int64_t>(std::llround(std::min(count, kMillisecondsMax))));
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Milliseconds> positive(double count) {
  if (!(count > 0)) return std::nullopt;
  return milliseconds(count);
}

std::optional<WallTime> http_date(std::string_view value) {
  const std::string text(value);
  std::tm date{};
  const char* end = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return WallTime(std::chrono::seconds(timegm(&date)));
}

std::optional<Milliseconds> asked_wait(const HttpHead& head, WallTime now) {
  if (const auto exact = number(head.header("retry-after-ms")))
    if (const auto wait = positive(*exact)) return wait;
  return parse_retry_after(head.header("retry-after"), now);
}

}  // namespace

std::optional<Milliseconds> parse_retry_after(std::string_view value, WallTime now) {
  if (const auto seconds = number(value)) return positive(*seconds * 1000);
  if (const auto wait = parse_duration(value)) return wait;
  const auto at = http_date(value);
  if (!at || *at <= now) return std::nullopt;
  return std::chrono::ceil<Milliseconds>(*at - now);
}

std::optional<Milliseconds> asked_wait(const HttpHead& head) {
  return asked_wait(head, http_date(head.header("date")).value_or(WallTime::max()));
}

void apply_retry_headers(Error& error, const HttpHead& head, WallTime now) {
  if (const auto wait = asked_wait(head, now)) error.retry_after = wait;
  if (error.code == ErrorCode::LimitExceeded) return;
  const std::string_view word = head.header("x-should-retry");
  if (word == "true") error.retry = Retry::Later;
  if (word == "false") error.retry = Retry::Never;
}

Milliseconds llm_retry_delay(const LlmRetry& retry, const Error& error, int tries,
                             std::uint64_t random) {
  if (error.retry_after) return *error.retry_after;
  double delay = static_cast<double>(retry.initial_delay.count());
  if (error.code == ErrorCode::Overloaded) delay *= kOverloadFactor;
  delay *= std::pow(retry.multiplier, tries - 1);
  delay = std::min(delay, static_cast<double>(retry.max_delay.count()));
  return milliseconds(delay * (1 - retry.jitter * share(random)));
}

Milliseconds spread(Milliseconds wait, double jitter, std::uint64_t random) {
  return wait + milliseconds(static_cast<double>(wait.count()) * jitter * share(random));
}

}  // namespace ba
