// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/migration.hpp"

#include <algorithm>
#include <array>
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

Error corrupt(std::string message) { return make_error(ErrorCode::Corrupt, std::move(message)); }

Result<Version> readable(std::string_view text, std::string_view present) {
  const std::string quoted = "\"" + std::string(text) + "\"";
  const auto version = version_of(text);
  if (!version) return corrupt("schema_version " + quoted + " is not of the form major.minor");
  if (version->major > version_of(present)->major)
    return corrupt("schema_version " + quoted + " is newer than this program reads (" +
                   std::string(present) + ")");
  return *version;
}

/// 1.0's words for a level.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kLevels{
    {{"concise", "brief"}, {"standard", "standard"}, {"detailed", "full"}, {"raw", "full"}}};

void from_1_0(RawObject& record) {
  record.rename("result", "artifact");
  record.rename("summary", "data_summary");
  const std::string level = record["output_level"].text();
  for (const auto& [old_name, name] : kLevels)
    if (level == old_name) record.set_text("output_level", name);
}

void from_1_4(RawObject& record) {
  if (record["output_level"].absent()) record.set_text("output_level", "standard");
}

/// "artifact_" and 32 or more lower-case hex digits: the file's name without its ending.
std::string_view artifact_in(std::string_view path) {
  constexpr std::string_view kBegin = "artifact_";
  std::string_view name = path.substr(path.rfind('/') + 1);
  name = name.substr(0, name.find('.'));
  const std::string_view digits = name.substr(std::min(name.size(), kBegin.size()));
  const bool good = name.starts_with(kBegin) && digits.size() >= 32 &&
                    digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return good ? name : std::string_view();
}

void from_1_9(RawObject& record) {
  record.rename("request_id", "tool_call_id");
  const std::string path = record["data_file"].text();
  record.erase("data_file");
  const std::string_view id = artifact_in(path);
  if (!id.empty() && !record.has("artifact_id")) record.set_text("artifact_id", id);
}

constexpr std::array<MigrationStep, 6> kResultSteps{{{"1.0", "1.4", from_1_0},
                                                     {"1.4", "1.5", from_1_4},
                                                     {"1.5", "1.6", nullptr},
                                                     {"1.6", "1.9", nullptr},
                                                     {"1.9", "2.0", from_1_9},
                                                     {"2.0", "2.1", nullptr}}};

/// What the steps of a result leave for a message: its observation is the content.
void to_message(RawObject& data) {
  if (data["content"].absent()) data.erase("content");
  data.rename("observation", "content");
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

Result<void> migrate(RawObject& record, std::span<const MigrationStep> steps, std::string_view from,
                     std::string_view to) {
  std::string_view at = from;
  while (at != to) {
    const auto step = std::find_if(steps.begin(), steps.end(),
                                   [at](const MigrationStep& s) { return s.from == at; });
    if (step == steps.end()) return cannot_migrate(from, to);
    if (step->change != nullptr) step->change(record);
    at = step->to;
  }
  return {};
}

std::span<const MigrationStep> result_steps() { return kResultSteps; }

Result<bool> migrate_message(RawObject& message) {
  const JsonView stored = message["data"];
  const std::string version = stored["additional_kwargs"]["ba"]["schema_version"].text();
  if (version.empty()) return false;
  const auto older = is_older_version(version);
  if (!older) return older.error();
  if (!*older) return false;
  RawObject data(stored);
  const bool result = message["type"].equals("tool");
  if (auto done = migrate(data, kResultSteps, version, kMessageSchemaVersion); !done)
    return done.error();
  RawObject kept(stored);
  RawObject& migrated = result ? data : kept;  // nothing of other messages changed
  if (result) to_message(migrated);
  RawObject kwargs(migrated["additional_kwargs"]);
  RawObject ba(kwargs["ba"]);
  ba.set_text("schema_version", kMessageSchemaVersion);
  kwargs.set("ba", ba.json());
  migrated.set("additional_kwargs", kwargs.json());
  message.set("data", migrated.json());
  return true;
}

}  // namespace ba
