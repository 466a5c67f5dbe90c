// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/file_write.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/base/lower_case.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"

namespace ba::files {
namespace {

using Json = nlohmann::ordered_json;

constexpr Milliseconds kDay{24LL * 3'600'000};

std::string schema(bool artifacts) {
  Json properties = {
      {"path",
       tools::text_property(
           1024, "Where, below the writable directories; missing folders are made.", "path")},
      {"content", {{"type", "string"}, {"description", "The whole content of the file."}}},
      {"mode",
       {{"type", "string"},
        {"enum", {"replace", "create"}},
        {"default", "replace"},
        {"description", "create: fails if there is such a file."}}}};
  if (!artifacts) return tools::call_schema(std::move(properties), {"path", "content"});
  properties["artifact_id"] = {
      {"type", "string"},
      {"description",
       "In place of content: the artifact, as named by an earlier result, whose data is written; "
       "rows as CSV where path ends with .csv, else as JSON."},
      {"x-artifact", true}};
  return tools::call_schema(std::move(properties), {"path"});
}

std::string description_of(const FileWriteConfig& config) {
  std::string text =
      "Writes a text file, as a whole: what was there is replaced, or stays untouched where "
      "writing "
      "fails. At most " +
      std::to_string(config.file_bytes_max) + " bytes.";
  if (config.roots.size() > 1) text += " A path begins with the name of one of these directories:";
  if (config.roots.size() == 1)
    text += " A path begins below this directory; its name may stand in front:";
  for (const FileRootConfig& root : config.roots)
    text += "\n" + root.name + (root.description.empty() ? "" : ": " + root.description);
  return text;
}

ToolError tool_error(const Error& error) {
  switch (error.code) {
    case ErrorCode::NotFound:
      return {ToolErrorType::NotFound, "PLACE_NOT_FOUND", error.message};
    case ErrorCode::PermissionDenied:
      return {ToolErrorType::PermissionDenied, "FILE_NOT_ALLOWED", error.message};
    case ErrorCode::InvalidArgument:
      return {ToolErrorType::InvalidParameters, "INVALID_PATH", error.message};
    case ErrorCode::Conflict:
      return {ToolErrorType::ValidationError, "FILE_EXISTS", error.message};
    case ErrorCode::LimitExceeded:
      return {ToolErrorType::ResourceError, "DISK_FULL", error.message};
    case ErrorCode::Internal:
      return {ToolErrorType::InternalError, "KEY_REUSED", error.message};
    default:
      return {ToolErrorType::TransientError, "FILE_UNWRITABLE", error.message};
  }
}

/// Other names could be made, and would be a riddle to whoever lists them.
bool nameable(std::string_view path) {
  return !path.ends_with('/') && !path.ends_with("/.") && std::ranges::none_of(path, [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
  });
}

RawToolResult failed_with(const Error& error) {
  RawToolResult raw = tools::failed_with(tool_error(error));
  raw.outcome_unknown = error.maybe_done;
  return raw;
}

std::string made_text_note(std::size_t cells) {
  return std::to_string(cells) + (cells == 1 ? " cell begins" : " cells begin") +
         " as a formula would (= + - @): written with ' in front, so that a spreadsheet shows the "
         "text and computes nothing.";
}

}  // namespace

FileWrite::FileWrite(FileWriteConfig config, PlacedFiles files, Executor& executor)
    : config_(std::move(config)),
      files_(std::move(files)),
      runs_("file-write", config_.threads, executor) {
  descriptor_.name = "file_write";
  descriptor_.description = description_of(config_);
  descriptor_.parameters_schema = schema(config_.artifacts);
  descriptor_.in_turn = true;
  descriptor_.effect = EffectClass::Keyed;
  descriptor_.permission = config_.permission;
  files_.forget(config_.keep_days * kDay);
}

std::optional<ToolError> FileWrite::refusal(const std::string& parameters) const {
  const Json given = parse_exact_known<Json>(parameters);  // checked against the schema
  const auto& name = given.at("path").get_ref<const std::string&>();
  const Result<void> path = checked_path(name);
  if (!path) return tool_error(path.error());
  if (!nameable(name)) {
    const char* why = ": a file's name has no control characters and doesn't end with / or /.";
    return tool_error(path_error(ErrorCode::InvalidArgument, name, why));
  }
  if (given.contains("content") == given.contains("artifact_id"))
    return ToolError{ToolErrorType::InvalidParameters, "INVALID_PARAMETERS",
                     "Give either content (a text) or artifact_id (an artifact)"};
  if (!given.contains("content")) return std::nullopt;
  return too_large("content", given.at("content").get_ref<const std::string&>().size());
}

std::optional<ToolError> FileWrite::too_large(const char* what, std::size_t bytes, bool cut) const {
  if (static_cast<std::int64_t>(bytes) <= config_.file_bytes_max) return std::nullopt;
  return ToolError{
      ToolErrorType::InvalidParameters, "FILE_TOO_LARGE",
      std::string(what) + ": it has " + (cut ? "more than " : "") +
          std::to_string(cut ? static_cast<std::size_t>(config_.file_bytes_max) : bytes) +
          " bytes, at most " + std::to_string(config_.file_bytes_max) + " can be written"};
}

std::unique_ptr<ToolRun> FileWrite::run(ToolInvocation invocation,
                                        std::function<void(RawToolResult)> done) {
  return runs_.start(
      [this, invocation = std::move(invocation)](int, const tools::Cancellation& cancellation,
                                                 const tools::BlockingRuns::Answer& answer) {
        answer(write(invocation, cancellation));
      },
      std::move(done));
}

/// The call is known by the artifact: how a file is made of it changes with versions and settings.
ArtifactFile FileWrite::made_of(const std::string& data, FileToPlace& file) const {
  const bool csv = lower_case(file.path).ends_with(".csv");
  const auto make = [this, csv, &data](bool formulas) {
    return artifact_file(data, csv, static_cast<std::size_t>(config_.file_bytes_max),
                         formulas ? FormulaCells::Keep : FormulaCells::Text);
  };
  file.made_of = sha256_hex_of(data);
  file.made_otherwise = [this, make] { return make(!config_.csv_formulas).content; };
  return make(config_.csv_formulas);
}

RawToolResult FileWrite::write(const ToolInvocation& invocation,
                               const tools::Cancellation& cancellation) const {
  RawToolResult raw;
  if ((raw.error = refusal(invocation.parameters))) return raw;
  const auto arguments = arguments_of(invocation);
  const Json& given = *arguments;
  FileToPlace file;
  file.path = given.at("path").get<std::string>();
  const auto artifact = invocation.artifacts.find("artifact_id");
  ArtifactFile made;
  if (artifact == invocation.artifacts.end())
    made.content = given.at("content").get<std::string>();
  else
    made = made_of(artifact->second.text(), file);
  if ((raw.error = too_large("the data of the artifact", made.content.size(), made.cut)))
    return raw;
  file.content = made.content;
  file.placement = given.value("mode", "") == "create" ? Placement::Create : Placement::Replace;
  file.key = invocation.tenant.value + "\n" + invocation.idempotency_key;
  const auto placed = files_.place(file, [&cancellation] { return cancellation.cancelled(); });
  if (!placed) return failed_with(placed.error());
  raw.data = Json{{"success", true},
                  {"message", "Written: " + file.path},
                  {"bytes", placed->bytes},
                  {"sha256", placed->sha256}}
                 .dump(-1, ' ', false, Json::error_handler_t::replace);
  if (made.made_text > 0 && *placed == placed_content(made.content))
    raw.note = made_text_note(made.made_text);
  return raw;
}

}  // namespace ba::files
