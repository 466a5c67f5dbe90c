// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/time.hpp"

#include <charconv>
#include <cstdio>

namespace ba {
namespace {

/// Takes exactly `digits` digits off the front; -1 when they aren't there.
int take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return -1;
  if (text.substr(0, digits).find_first_not_of("0123456789") != std::string_view::npos) return -1;
  int number = 0;
  std::from_chars(text.data(), text.data() + digits, number);
  text.remove_prefix(digits);
  return number;
}

bool take_char(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// ".5" and the like as microseconds; 0 without a fraction.
Microseconds take_fraction(std::string_view& text) {
  if (!take_char(text, ".")) return Microseconds(0);
  int micros = 0;
  for (int place = 100000; !text.empty() && text[0] >= '0' && text[0] <= '9'; place /= 10) {
    micros += (text[0] - '0') * place;
    text.remove_prefix(1);
  }
  return Microseconds(micros);
}

std::optional<std::chrono::minutes> take_offset(std::string_view& text) {
  if (take_char(text, "Zz")) return std::chrono::minutes(0);
  const bool negative = text.starts_with('-');
  if (!take_char(text, "+-")) return std::nullopt;
  const int hours = take_number(text, 2);
  const bool colon = take_char(text, ":");
  const int minutes = take_number(text, 2);
  if (!colon || hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  return std::chrono::minutes((hours * 60 + minutes) * (negative ? -1 : 1));
}

}  // namespace

std::string to_rfc3339(WallTime time) {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  char text[48];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", int{date.year()},
                unsigned{date.month()}, unsigned{date.day()}, int(clock.hours().count()),
                int(clock.minutes().count()), int(clock.seconds().count()),
                int(clock.subseconds().count()));
  return text;
}

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  using namespace std::chrono;
  const int year = take_number(text, 4);
  if (!take_char(text, "-")) return std::nullopt;
  const int month = take_number(text, 2);
  if (!take_char(text, "-")) return std::nullopt;
  const int day_of_month = take_number(text, 2);
  if (!take_char(text, "Tt ")) return std::nullopt;
  const int hour = take_number(text, 2);
  if (!take_char(text, ":")) return std::nullopt;
  const int minute = take_number(text, 2);
  if (!take_char(text, ":")) return std::nullopt;
  const int second = take_number(text, 2);
  const Microseconds fraction = take_fraction(text);
  const auto offset = take_offset(text);
  if (!offset || !text.empty() || year < 0 || month < 1 || day_of_month < 1) return std::nullopt;
  const year_month_day date{std::chrono::year(year), std::chrono::month(unsigned(month)),
                            std::chrono::day(unsigned(day_of_month))};
  if (!date.ok() || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
    return std::nullopt;
  const auto clock = hours(hour) + minutes(minute) + seconds(second) + fraction;
  return WallTime(sys_days(date)) + clock - *offset;
}

}  // namespace ba
