// SPDX-License-Identifier: Apache-2.0
#include "storage/query/row_values.hpp"

#include <cstdio>
#include <sstream>

namespace ba {

std::vector<std::string> RowValues::lines() {
  std::istringstream text(this->text());
  std::vector<std::string> all;
  for (std::string line; std::getline(text, line);) all.push_back(line);
  return all;
}

std::optional<WallTime> RowValues::optional_time() {
  const auto field = row_[next_++];
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  double second = 0;
  if (field.is_null() || std::sscanf(field.c_str(), "%d-%u-%u %d:%d:%lf", &year, &month, &day,
                                     &hour, &minute, &second) != 6)
    return std::nullopt;
  const std::chrono::sys_days date = std::chrono::year(year) / month / day;
  const auto micros = static_cast<std::int64_t>(second * 1e6 + 0.5);
  return WallTime(date + std::chrono::hours(hour) + std::chrono::minutes(minute)) +
         Microseconds(micros);
}

}  // namespace ba
