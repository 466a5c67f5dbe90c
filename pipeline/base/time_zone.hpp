#pragma once
// SPDX-License-Identifier: Apache-2.0
// A time zone of the IANA database, by Howard Hinnant's date library: it reads the system's files
// (package tzdata) when the first zone but UTC is looked for. Value, cheap to copy; any thread.

#include <chrono>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"

namespace date {
class time_zone;
}

namespace ba {

class TimeZone {
 public:
  /// UTC.
  TimeZone();

  /// By its name or an older one, such as "Europe/Berlin" or "US/Eastern"; it keeps the name that
  /// is given. NotFound where the database has none; Unavailable where there is no database.
  static Result<TimeZone> named(const std::string& name);

  const std::string& name() const { return name_; }

  /// What the zone's clocks show at that time, minus UTC.
  std::chrono::seconds offset_at(WallTime time) const;

  /// The day that its calendars show at that time.
  std::chrono::sys_days day_at(WallTime time) const;

  friend bool operator==(const TimeZone& one, const TimeZone& other) {
    return one.name_ == other.name_;
  }

 private:
  std::string name_ = "UTC";
  const date::time_zone* zone_ = nullptr;  ///< of the library's database, for good; null: UTC
};

}  // namespace ba
