// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/time.hpp"

#include <cstdio>

namespace ba {

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

}  // namespace ba
