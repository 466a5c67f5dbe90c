// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/age_text.hpp"

#include <charconv>

namespace ba {
namespace {

std::optional<std::int64_t> seconds_of(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3600;
    case 'd':
      return 86400;
    default:
      return std::nullopt;
  }
}

constexpr std::int64_t kSecondsMax = 36525LL * 86400;  // a hundred years

}  // namespace

std::optional<Milliseconds> parse_age(std::string_view text) {
  if (text.size() < 2 || text.front() < '0' || text.front() > '9') return std::nullopt;
  const auto unit = seconds_of(text.back());
  const char* const end = text.data() + text.size() - 1;
  std::int64_t number = 0;
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (!unit || error != std::errc() || stopped != end || number > kSecondsMax / *unit)
    return std::nullopt;
  return Milliseconds(number * *unit * 1000);
}

}  // namespace ba
