// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/versioned_result.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/text/message/message.hpp"
#include "pipeline/text/message/migration.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kRetriesMax = 1'000'000;  // more were never made

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// Reads members; the first thing that is wrong is kept.
class Members {
 public:
  explicit Members(const RawObject& record) : record_(record) {}

  std::string text(const char* name) {
    const JsonView value = record_[name];
    if (!value.absent() && !value.is(JsonKind::String)) refuse(name, "must be a string");
    return value.text();
  }

  std::int64_t count(const char* name) {
    const JsonView value = record_[name];
    if (value.absent()) return 0;
    const auto number = value.integer();
    if (!number || *number < 0) refuse(name, "must be a whole number, 0 or more");
    return number.value_or(0);
  }

  bool flag(const char* name) {
    const JsonView value = record_[name];
    if (!value.is(JsonKind::Bool)) refuse(name, "must be true or false");
    return value.raw() == "true";
  }

  void refuse(const std::string& name, const std::string& what) {
    if (problem_.empty()) problem_ = name + " " + what;
  }
  const std::string& problem() const { return problem_; }

 private:
  const RawObject& record_;
  std::string problem_;
};

std::optional<ToolError> read_error(Members& members) {
  ToolError error;
  error.code = members.text("error_code");
  error.message = members.text("error_message");
  const std::string type = members.text("error_type");
  if (const auto known = parse_tool_error_type(type))
    error.type = *known;
  else if (!type.empty())
    members.refuse("error_type", "\"" + type + "\" is no type of error");
  if (type.empty() && error.code.empty() && error.message.empty()) return std::nullopt;
  return error;
}

ToolResult read_members(Members& members) {
  ToolResult result;
  result.tool_call_id = ToolCallId(members.text("tool_call_id"));
  if (result.tool_call_id.empty()) members.refuse("tool_call_id", "must not be missing or empty");
  result.observation = members.text("observation");
  const std::string level = members.text("output_level");
  if (const auto known = parse_output_level(level))
    result.output_level = *known;
  else
    members.refuse("output_level", "must be brief, standard or full, not \"" + level + "\"");
  result.artifact_id = members.text("artifact_id");
  result.data_size_bytes = members.count("data_size_bytes");
  result.data_hash = members.text("data_hash");
  result.data_summary = members.text("data_summary");
  result.note = members.text("note");
  result.retry_count = static_cast<int>(std::min(members.count("retry_count"), kRetriesMax));
  result.duration = Milliseconds(members.count("duration_ms"));
  result.error = read_error(members);
  result.state = members.flag("success") ? ToolCallState::Succeeded : ToolCallState::Failed;
  if (const std::string last = members.text("last_error"); !last.empty())
    result.telemetry.last_error = ToolError{ToolErrorType::InternalError, "", last};
  return result;
}

}  // namespace

std::string write_tool_result(const ToolResult& result) {
  const auto& last = result.telemetry.last_error;
  const Json json = {{"schema_version", kMessageSchemaVersion},
                     {"tool_call_id", result.tool_call_id.value},
                     {"observation", result.observation},
                     {"output_level", to_string(result.output_level)},
                     {"artifact_id", text_or_null(result.artifact_id)},
                     {"data_size_bytes", result.data_size_bytes},
                     {"data_hash", text_or_null(result.data_hash)},
                     {"data_summary", text_or_null(result.data_summary)},
                     {"note", text_or_null(result.note)},
                     {"retry_count", result.retry_count},
                     {"last_error", last ? text_or_null(last->message) : Json()},
                     {"success", result.state == ToolCallState::Succeeded},
                     {"error_code", result.error ? text_or_null(result.error->code) : Json()},
                     {"error_type", result.error ? Json(to_string(result.error->type)) : Json()},
                     {"error_message", result.error ? text_or_null(result.error->message) : Json()},
                     {"duration_ms", result.duration.count()}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<VersionedToolResult> read_tool_result(std::string_view json) {
  const auto view = JsonView::parse(json);
  if (!view || !view->is(JsonKind::Object))
    return invalid_argument("a tool's result must be a JSON object");
  RawObject record(*view);
  Members head(record);
  VersionedToolResult read;
  read.version = head.text("schema_version");
  if (read.version.empty()) head.refuse("schema_version", "must not be missing or empty");
  if (!head.problem().empty()) return invalid_argument(head.problem());
  const auto older = is_older_version(read.version);
  if (!older) return older.error();
  if (*older)
    if (auto done = migrate(record, result_steps(), read.version, kMessageSchemaVersion); !done)
      return done.error();
  Members members(record);
  read.result = read_members(members);
  if (!members.problem().empty()) return invalid_argument(members.problem());
  if (!record["artifact"].absent()) read.artifact = std::string(record["artifact"].raw());
  return read;
}

}  // namespace ba
