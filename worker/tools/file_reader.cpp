// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/file_reader.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/base/joined.hpp"
#include "worker/tools/file_content.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFilesInDescription = 50;
constexpr std::size_t kFilesInError = 20;

std::string schema() {
  const auto count = [](const char* description, int minimum) {
    return Json{{"type", "integer"}, {"minimum", minimum}, {"description", description}};
  };
  const Json schema = {{"type", "object"},
                       {"properties",
                        {{"path",
                          {{"type", "string"},
                           {"minLength", 1},
                           {"maxLength", 1024},
                           {"description", "The file, as listed."},
                           {"x-semantic", "path"}}},
                         {"format",
                          {{"type", "string"},
                           {"enum", {"csv", "json", "text"}},
                           {"description", "Default: by the end of the name."}}},
                         {"offset", count("First row, item or line to read, from 0.", 0)},
                         {"limit", count("How many rows, items or lines, from offset on.", 1)},
                         {"sample", count("Only so many, evenly spaced over the range.", 1)}}},
                       {"required", {"path"}},
                       {"additionalProperties", false}};
  return schema.dump();
}

/// The first of them, so that what a model reads stays short; it may try names that it can guess.
std::string named(std::vector<std::string> files, std::size_t most) {
  const std::size_t left = files.size() - std::min(files.size(), most);
  files.resize(files.size() - left);
  return joined_or_none(files) + (left > 0 ? ", … and " + std::to_string(left) + " more" : "");
}

std::string description_of(const FilesConfig& config, const FileRoots& roots) {
  std::string text =
      "Reads a file (CSV with a header row, JSON, or text) by range or sample and returns its "
      "rows, "
      "items or lines as JSON, at most " +
      std::to_string(config.row_limit) + " of them.";
  for (const FileRootConfig& root : config.roots)
    if (!root.description.empty()) text += "\n" + root.name + ": " + root.description;
  // Replaced where a name isn't UTF-8: the description goes into every prompt.
  return text + "\nFiles: " +
         Json(named(roots.list(), kFilesInDescription))
             .dump(-1, ' ', false, Json::error_handler_t::replace);
}

ToolError error_of(const Error& error, const FileRoots& roots) {
  switch (error.code) {
    case ErrorCode::NotFound:
      return {ToolErrorType::NotFound, "FILE_NOT_FOUND",
              error.message + ". Files: " + named(roots.list(), kFilesInError)};
    case ErrorCode::PermissionDenied:
      return {ToolErrorType::PermissionDenied, "FILE_NOT_ALLOWED", error.message};
    case ErrorCode::LimitExceeded:
      return {ToolErrorType::ValidationError, "FILE_TOO_LARGE", error.message};
    case ErrorCode::InvalidArgument:
      return {ToolErrorType::InvalidParameters, "INVALID_PATH", error.message};
    default:
      return {ToolErrorType::ResourceError, "FILE_UNREADABLE", error.message};
  }
}

FileFormat format_named(const Json& parameters, const std::string& path) {
  const std::string name = parameters.value("format", "");
  if (name == "csv") return FileFormat::Csv;
  if (name == "json") return FileFormat::Json;
  return name == "text" ? FileFormat::Text : format_of(path);
}

FileSelection selection_of(const Json& parameters, const FilesConfig& config) {
  FileSelection selection;
  selection.offset = parameters.value("offset", std::int64_t{0});
  selection.limit = parameters.value("limit", std::int64_t{-1});
  selection.sample = parameters.value("sample", std::int64_t{0});
  selection.row_limit = config.row_limit;
  selection.bytes_max = config.result_bytes_max;
  return selection;
}

RawToolResult read(const FileRoots& roots, const FilesConfig& config,
                   const std::string& parameters_json, const Cancellation& cancellation) {
  const Json parameters = Json::parse(parameters_json);  // checked against the schema
  const std::string path = parameters.at("path").get<std::string>();
  RawToolResult result;
  const auto cancelled = [&cancellation] { return cancellation.cancelled(); };
  Result<std::string> content = roots.read(path, config.file_bytes_max, cancelled);
  if (!content) {
    result.error = error_of(content.error(), roots);
    return result;
  }
  if (cancelled()) return result;  // nobody listens; taking it apart may take a while
  Result<std::string> data = file_content(std::move(*content), format_named(parameters, path),
                                          selection_of(parameters, config));
  if (data)
    result.data = std::move(*data);
  else
    result.error = ToolError{ToolErrorType::ValidationError, "FILE_INVALID", data.error().message};
  return result;
}

}  // namespace

FileReader::FileReader(FilesConfig config, FileRoots roots, Executor& executor)
    : config_(std::move(config)),
      roots_(std::move(roots)),
      runs_("file-reader", config_.threads, executor) {
  descriptor_.name = "file_reader";
  descriptor_.description = description_of(config_, roots_);
  descriptor_.parameters_schema = schema();
  descriptor_.effect = EffectClass::Pure;
  descriptor_.may_be_cached = true;
  descriptor_.cache_policy = CachePolicy::TtlShort;
}

std::optional<ToolError> FileReader::refusal(const std::string& parameters) const {
  const Result<void> path = checked_path(Json::parse(parameters).at("path").get<std::string>());
  if (path) return std::nullopt;
  return error_of(path.error(), roots_);
}

std::unique_ptr<ToolRun> FileReader::run(ToolInvocation invocation,
                                         std::function<void(RawToolResult)> done) {
  return runs_.start(
      [this, parameters = std::move(invocation.parameters)](int, const Cancellation& cancellation,
                                                            const BlockingRuns::Answer& answer) {
        answer(read(roots_, config_, parameters, cancellation));
      },
      std::move(done));
}

}  // namespace ba
