// SPDX-License-Identifier: Apache-2.0
#include "worker/config/time_zones.hpp"

#include <algorithm>
#include <filesystem>

#include "worker/config/small_file.hpp"

namespace ba {
namespace {

constexpr const char* kDirectory = "/usr/share/zoneinfo";
constexpr std::size_t kNameBytesMax = 64;
constexpr std::size_t kFileBytesMax = 64 << 10;

/// Without a way out of the directory.
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
         "America/New_York or UTC, as " +
         std::string(kDirectory) + " has them";
}

}  // namespace

Result<TimeZone> load_time_zone(const std::string& name) {
  if (name == TimeZone().name()) return TimeZone();
  if (!has_form_of_name(name) || is_no_zone(name))
    return invalid_argument("'" + name.substr(0, kNameBytesMax) + "' is no time zone" + remedy());
  std::error_code ignored;
  if (!std::filesystem::is_directory(kDirectory, ignored))
    return invalid_argument("time zone '" + name + "' can't be read: there is no " + kDirectory +
                            "; install the package tzdata, or use UTC");
  const std::string file = std::string(kDirectory) + "/" + name;
  if (!std::filesystem::is_regular_file(file, ignored)) {
    Error error = invalid_argument("there is no time zone '" + name + "'" + remedy());
    error.code = ErrorCode::NotFound;
    return error;
  }
  const auto bytes = read_file(file, kFileBytesMax);
  if (!bytes) return bytes.error();
  auto zone = TimeZone::read(name, *bytes);
  if (!zone) return invalid_argument(zone.error().message + remedy());
  return zone;
}

}  // namespace ba
