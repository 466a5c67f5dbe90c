// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/time_zone.hpp"

#include <date/tz.h>

#include <exception>
#include <utility>

namespace ba {
namespace {

bool has_database() {
  try {
    date::get_tzdb();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

TimeZone::TimeZone() = default;

Result<TimeZone> TimeZone::named(const std::string& name) {
  TimeZone zone;
  if (name == zone.name_) return zone;
  if (!has_database())
    return make_error(ErrorCode::Unavailable,
                      "there is no time zone database; install the package tzdata");
  try {
    zone.zone_ = date::locate_zone(name);
    zone.zone_->get_info(date::sys_seconds());  // its file is read now, or never can be
  } catch (const std::exception&) {
    return make_error(ErrorCode::NotFound, "there is no time zone '" + name + "'");
  }
  zone.name_ = name;
  return zone;
}

/// From 2038 on that may be without summer time: the library reads what a zone's file lists, not
/// the rule that it ends with.
std::chrono::seconds TimeZone::offset_at(WallTime time) const {
  if (zone_ == nullptr) return std::chrono::seconds(0);
  return zone_->get_info(std::chrono::floor<std::chrono::seconds>(time)).offset;
}

std::chrono::sys_days TimeZone::day_at(WallTime time) const {
  return std::chrono::floor<std::chrono::days>(time + offset_at(time));
}

}  // namespace ba
