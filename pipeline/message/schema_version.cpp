// SPDX-License-Identifier: Apache-2.0
#include "pipeline/message/schema_version.hpp"

#include <charconv>
#include <optional>

#include "pipeline/message/message.hpp"

namespace ba {
namespace {

/// The major of "major.minor"; both are plain numbers.
std::optional<int> major_of(std::string_view version) {
  const std::size_t dot = version.find('.');
  if (dot == 0 || dot == std::string_view::npos || dot + 1 == version.size()) return std::nullopt;
  if (version.find_first_not_of("0123456789", dot + 1) != std::string_view::npos)
    return std::nullopt;
  int major = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + dot, major);
  if (error != std::errc{} || end != version.data() + dot) return std::nullopt;
  return major;
}

}  // namespace

Result<void> check_message_version(std::string_view version) {
  Error error;
  error.code = ErrorCode::Corrupt;
  const std::string quoted = "\"" + std::string(version) + "\"";
  const auto major = major_of(version);
  const int current = *major_of(kMessageSchemaVersion);
  if (!major) {
    error.message = "schema_version " + quoted + " is not of the form major.minor";
    return error;
  }
  if (*major > current) {
    error.message = "schema_version " + quoted + " is newer than this program reads (" +
                    kMessageSchemaVersion + ")";
    return error;
  }
  if (*major < current) {
    error.message =
        "Cannot migrate from " + std::string(version) + " to " + std::string(kMessageSchemaVersion);
    return error;
  }
  return {};
}

}  // namespace ba
