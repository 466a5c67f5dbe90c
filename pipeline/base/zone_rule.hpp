#pragma once
// SPDX-License-Identifier: Apache-2.0
// How the clocks of a zone go on for ever, by the POSIX TZ string that ends its compiled file:
// "CET-1CEST,M3.5.0,M10.5.0/3". With RFC 9636's wider hours (-167 to 167). Values; any thread.

#include <chrono>
#include <optional>
#include <string_view>

#include "pipeline/base/time.hpp"

namespace ba {

/// When in a year clocks change.
struct YearlyChange {
  enum class Kind {
    WeekdayOfMonth,  ///< Mm.w.d
    DayWithoutLeap,  ///< Jn: 1 to 365, 29 February is never counted
    Day,             ///< n: 0 to 365
  };
  Kind kind = Kind::WeekdayOfMonth;
  int month = 1;
  int week = 1;                         ///< 5: the last one
  int day = 0;                          ///< of the week (0: Sunday), or of the year
  std::chrono::seconds time{2 * 3600};  ///< of the day, as clocks show it before they change
};

struct ZoneRule {
  std::chrono::seconds standard{0};  ///< minus UTC
  std::optional<std::chrono::seconds> summer;
  YearlyChange to_summer;
  YearlyChange to_standard;

  std::chrono::seconds offset_at(std::chrono::sys_seconds time) const;
};

/// None when it is no such text.
std::optional<ZoneRule> parse_zone_rule(std::string_view text);

}  // namespace ba
