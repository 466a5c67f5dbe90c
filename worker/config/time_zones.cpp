// SPDX-License-Identifier: Apache-2.0
#include "worker/config/time_zones.hpp"

#include <algorithm>

namespace ba::config {
namespace {

constexpr std::size_t kNameBytesMax = 64;

bool has_form_of_name(const std::string& name) {
  if (name.empty() || name.size() > kNameBytesMax) return false;
  const auto of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '+' || c == '/';
  };
  return std::ranges::all_of(name, of_name) && name.front() != '/' && name.back() != '/' &&
         name.find("//") == std::string::npos;
}

/// Files beside the zones: other forms of them, and what this machine's own zone is.
bool is_no_zone(const std::string& name) {
  return name.starts_with("right/") || name.starts_with("posix/") || name == "posixrules" ||
         name == "localtime" || name == "Factory";
}

std::string remedy() {
  return "; a name of the IANA time zone database is needed, such as Europe/Berlin, "
         "America/New_York or UTC";
}

}  // namespace

Result<TimeZone> load_time_zone(const std::string& name) {
  if (name == TimeZone().name()) return TimeZone();
  if (!has_form_of_name(name) || is_no_zone(name))
    return invalid_argument("'" + name.substr(0, kNameBytesMax) + "' is no time zone" + remedy());
  auto zone = TimeZone::named(name);
  if (!zone && zone.error().code == ErrorCode::NotFound) {
    Error error = zone.error();
    error.message += remedy();
    return error;
  }
  if (!zone)
    return invalid_argument("time zone '" + name + "' can't be read: " + zone.error().message +
                            ", or use UTC");
  return zone;
}

}  // namespace ba::config
