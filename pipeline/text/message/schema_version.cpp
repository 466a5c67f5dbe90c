// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/schema_version.hpp"

#include <charconv>
#include <optional>

#include "pipeline/text/message/message.hpp"

namespace ba {
namespace {

struct Version {
  int major = 0;
  int minor = 0;
  friend auto operator<=>(const Version&, const Version&) = default;
};

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  return whole && text.front() != '-' ? std::optional(number) : std::nullopt;
}

/// "major.minor"; both are plain numbers.
std::optional<Version> version_of(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto major = number_of(text.substr(0, dot));
  const auto minor = number_of(text.substr(dot + 1));
  if (!major || !minor) return std::nullopt;
  return Version{*major, *minor};
}

Error corrupt(std::string message) {
  Error error;
  error.code = ErrorCode::Corrupt;
  error.message = std::move(message);
  return error;
}

Result<Version> readable(std::string_view text, std::string_view present) {
  const std::string quoted = "\"" + std::string(text) + "\"";
  const auto version = version_of(text);
  if (!version) return corrupt("schema_version " + quoted + " is not of the form major.minor");
  if (version->major > version_of(present)->major)
    return corrupt("schema_version " + quoted + " is newer than this program reads (" +
                   std::string(present) + ")");
  return *version;
}

}  // namespace

Result<void> check_readable_version(std::string_view version, std::string_view present) {
  const auto read = readable(version, present);
  if (!read) return read.error();
  return {};
}

Result<bool> is_older_version(std::string_view version) {
  const auto read = readable(version, kMessageSchemaVersion);
  if (!read) return read.error();
  return *read < *version_of(kMessageSchemaVersion);
}

Result<void> check_message_version(std::string_view version) {
  const auto read = readable(version, kMessageSchemaVersion);
  if (!read) return read.error();
  if (read->major < version_of(kMessageSchemaVersion)->major)
    return cannot_migrate(version, kMessageSchemaVersion);
  return {};
}

Error cannot_migrate(std::string_view from, std::string_view to) {
  return corrupt("Cannot migrate from " + std::string(from) + " to " + std::string(to));
}

}  // namespace ba
