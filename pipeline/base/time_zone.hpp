#pragma once
// SPDX-License-Identifier: Apache-2.0
// A time zone of the IANA database: its name and what is known of its clocks, as its compiled file
// (TZif, RFC 9636) says. Reads no file itself. Value, cheap to copy; any thread.

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"

namespace ba {

struct ZoneRules;

class TimeZone {
 public:
  /// UTC.
  TimeZone();

  /// `tzif`: the bytes of the zone's compiled file. InvalidArgument that says what is wrong with
  /// them.
  static Result<TimeZone> read(std::string name, std::string_view tzif);

  const std::string& name() const { return name_; }

  /// What the zone's clocks show at that time, minus UTC.
  std::chrono::seconds offset_at(WallTime time) const;

  /// The day that its calendars show at that time.
  std::chrono::sys_days day_at(WallTime time) const;

  /// Of the same name; its file may have been another.
  friend bool operator==(const TimeZone& one, const TimeZone& other) {
    return one.name_ == other.name_;
  }

 private:
  std::string name_ = "UTC";
  std::shared_ptr<const ZoneRules> rules_;  ///< shared by its copies; null: UTC
};

}  // namespace ba
