// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/file_reader.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/base/joined.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "worker/tools/files/file_content.hpp"
#include "worker/tools/files/text_encoding.hpp"

namespace ba::files {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFilesInDescription = 50;
constexpr std::size_t kFilesInError = 20;

Json what_is_read(const FilesConfig& config, FileReader::Offer offer) {
  const bool everything = offer == FileReader::Offer::Everything;
  Json properties;
  if (everything || !config.roots.empty())
    properties["path"] = tools::text_property(1024, "The file, as listed.", "path");
  if (everything || config.artifacts)
    properties["artifact_id"] = {{"type", "string"},
                                 {"description", "The artifact, as named by an earlier result."},
                                 {"x-artifact", true}};
  return properties;
}

/// Where there is but one thing to name, it is required.
std::string schema(const FilesConfig& config, FileReader::Offer offer) {
  const auto count = [](const char* description, int minimum) {
    return Json{{"type", "integer"}, {"minimum", minimum}, {"description", description}};
  };
  Json properties = what_is_read(config, offer);
  Json required = Json::array();
  if (properties.size() == 1) required.push_back(properties.begin().key());
  properties["format"] = {{"type", "string"},
                          {"enum", {"csv", "json", "jsonl", "text"}},
                          {"description", "Default: by the end of the name, or what it is."}};
  properties["json_path"] = {{"type", "string"},
                             {"minLength", 1},
                             {"maxLength", 1024},
                             {"description", "Of JSON, the part to read, such as $.rows[*].name."}};
  properties["offset"] = count("First row, item, member or line to read, from 0.", 0);
  properties["limit"] = count("How many rows, items or lines, from offset on.", 1);
  properties["sample"] = count("Only so many, evenly spaced over the range.", 1);
  return tools::call_schema(std::move(properties), std::move(required));
}

/// The first of them, so that what a model reads stays short; it may try names that it can guess.
std::string named(std::vector<std::string> files, std::size_t most) {
  const std::size_t left = files.size() - std::min(files.size(), most);
  files.resize(files.size() - left);
  return joined_or_none(files) + (left > 0 ? ", … and " + std::to_string(left) + " more" : "");
}

std::string description_of(const FilesConfig& config, const FileRoots& roots) {
  std::string text = "Reads ";
  if (!config.roots.empty()) text += "a file (CSV with a header row, JSON, JSON lines, or text)";
  if (config.artifacts)
    text += config.roots.empty() ? "an artifact (the stored data of an earlier result)"
                                 : " or an artifact (the stored data of an earlier result)";
  text += " by range, sample or JSON path and returns its rows, items or lines, at most " +
          std::to_string(config.row_limit) + " of them.";
  for (const FileRootConfig& root : config.roots)
    if (!root.description.empty()) text += "\n" + root.name + ": " + root.description;
  if (config.roots.empty()) return text;
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

FileFormat format_named(const Json& parameters, FileFormat otherwise) {
  const std::string name = parameters.value("format", "");
  if (name == "csv") return FileFormat::Csv;
  if (name == "json") return FileFormat::Json;
  if (name == "jsonl") return FileFormat::Jsonl;
  return name == "text" ? FileFormat::Text : otherwise;
}

/// A whole number, however large.
std::int64_t count_of(const Json& parameters, const char* name, std::int64_t otherwise) {
  if (!parameters.contains(name)) return otherwise;
  constexpr double kMost = 0x1p53;  // more than any file has
  const double count = nearest_double(parameters.at(name));
  return static_cast<std::int64_t>(std::min(count, kMost));
}

FileSelection selection_of(const Json& parameters, const FilesConfig& config) {
  FileSelection selection;
  selection.json_path = parameters.value("json_path", "");
  selection.offset = count_of(parameters, "offset", 0);
  selection.limit = count_of(parameters, "limit", -1);
  selection.sample = count_of(parameters, "sample", 0);
  selection.row_limit = config.row_limit;
  selection.bytes_max = config.result_bytes_max;
  return selection;
}

ToolError error_of_content(const Error& error) {
  const bool nowhere = error.code == ErrorCode::NotFound;
  return {nowhere ? ToolErrorType::NotFound : ToolErrorType::ValidationError,
          nowhere ? "PATH_NOT_FOUND" : "FILE_INVALID", error.message};
}

ToolError not_text(const std::string& path, std::string_view kind) {
  return {ToolErrorType::ValidationError, "FILE_NOT_TEXT",
          path + " is " + std::string(kind) +
              ", which this tool doesn't read: it reads CSV, JSON and text. Its data may be there "
              "in another file, or as a table of a data source"};
}

/// What `content` makes of the selection: what it listed, or all that it gave.
template <typename Content>
RawToolResult taken_apart(FileSelection selection, tools::ResultRoom room, Content content) {
  tools::ResultItems items(selection.bytes_max, room);
  selection.items = &items;
  selection.bytes_max = items.bytes_max();
  selection.held_bytes_max = room.store ? kHeldBytesMax : room.held_bytes_max;
  Result<FileContent> read = content(selection);
  if (!read) return tools::failed_with(error_of_content(read.error()));
  RawToolResult result;
  result.note = std::move(read->note);
  if (read->data.empty())
    items.finish(result);
  else
    result.data = std::move(read->data);
  return result;
}

RawToolResult taken_apart(std::string text, FileFormat format, const FileSelection& selection,
                          tools::ResultRoom room) {
  return taken_apart(selection, room, [&](const FileSelection& chosen) {
    return file_content(std::move(text), format, chosen);
  });
}

RawToolResult read_file(const FileRoots& roots, const FilesConfig& config, const Json& parameters,
                        const tools::Cancellation& cancellation, tools::ResultRoom room) {
  const std::string path = parameters.at("path").get<std::string>();
  const auto cancelled = [&cancellation] { return cancellation.cancelled(); };
  Result<std::string> content = roots.read(path, config.file_bytes_max, cancelled);
  if (!content) return tools::failed_with(error_of(content.error(), roots));
  if (cancelled()) return {};  // nobody listens; taking it apart may take a while
  if (const auto kind = binary_kind(*content)) return tools::failed_with(not_text(path, *kind));
  return taken_apart(std::move(*content), format_named(parameters, format_of(path)),
                     selection_of(parameters, config), room);
}

/// `data` is JSON; a text in it is read as a text, and anything else as lines where that is asked.
/// It is that of some items alone where `part` says so.
RawToolResult read_artifact(const FilesConfig& config, const Json& parameters,
                            const std::string& data, std::optional<ItemRange> part,
                            tools::ResultRoom room) {
  const bool text = data.starts_with('"');
  const FileFormat format = format_named(parameters, text ? FileFormat::Text : FileFormat::Json);
  FileSelection selection = selection_of(parameters, config);
  selection.part = part;
  if (!text && (format == FileFormat::Json || format == FileFormat::Jsonl))
    return taken_apart(selection, room, [&](const FileSelection& chosen) {
      return json_data_content(data, chosen);
    });
  const Json document = parse_exact_known<Json>(data);
  return taken_apart(text ? document.get<std::string>() : dump_exact(document, 2), format,
                     selection, room);
}

/// The item that a json_path begins with: $[12].name.
std::optional<std::int64_t> item_of_path(std::string_view path) {
  if (!path.starts_with("$[")) return std::nullopt;
  path.remove_prefix(2);
  std::int64_t index = -1;
  const auto [end, problem] = std::from_chars(path.data(), path.data() + path.size(), index);
  const bool closed = end != path.data() + path.size() && *end == ']';
  if (problem != std::errc() || !closed || index < 0) return std::nullopt;
  return index;
}

std::optional<ToolError> names_one(const Json& parameters) {
  if (parameters.contains("path") != parameters.contains("artifact_id")) return std::nullopt;
  return ToolError{ToolErrorType::InvalidParameters, "INVALID_PARAMETERS",
                   "Give either path (a file) or artifact_id (an artifact)"};
}

std::string version_of(const FilesConfig& config) {
  std::vector<std::string> asked{std::to_string(config.row_limit),
                                 std::to_string(config.result_bytes_max)};
  for (const FileRootConfig& root : config.roots) {
    asked.push_back(root.name);
    asked.push_back(root.path);
  }
  return configured_version("2.0.0", asked);
}

}  // namespace

FileReader::FileReader(FilesConfig config, FileRoots roots, Executor& executor, Offer offer)
    : config_(std::move(config)),
      roots_(std::move(roots)),
      executor_(executor),
      runs_("file-reader", config_.threads, executor) {
  descriptor_.name = "file_reader";
  descriptor_.version = version_of(config_);
  descriptor_.description = description_of(config_, roots_);
  descriptor_.parameters_schema = schema(config_, offer);
  descriptor_.effect = EffectClass::Pure;
  descriptor_.may_be_cached = true;
  descriptor_.reader = true;
  descriptor_.cache_policy = CachePolicy::TtlShort;
}

std::optional<ItemRange> FileReader::artifact_range(const std::string& parameters) const {
  const Json given = parse_exact_known<Json>(parameters);  // checked against the schema
  const FileFormat format = format_named(given, FileFormat::Json);
  const bool lines = format == FileFormat::Text || format == FileFormat::Csv;
  if (lines || given.contains("sample")) return std::nullopt;
  if (given.contains("json_path")) {
    const auto item = item_of_path(given.at("json_path").get<std::string>());
    return item ? std::optional(ItemRange{*item, 1, 0}) : std::nullopt;
  }
  const std::int64_t rows = config_.row_limit;
  return ItemRange{count_of(given, "offset", 0), std::min(count_of(given, "limit", rows), rows), 0};
}

std::optional<ToolError> FileReader::refusal(const std::string& parameters) const {
  const Json given = parse_exact_known<Json>(parameters);  // checked against the schema
  if (auto error = names_one(given)) return error;
  if (!given.contains("path")) return std::nullopt;
  const Result<void> path = checked_path(given.at("path").get<std::string>());
  if (path) return std::nullopt;
  return error_of(path.error(), roots_);
}

std::unique_ptr<ToolRun> FileReader::run(ToolInvocation invocation,
                                         std::function<void(RawToolResult)> done) {
  return runs_.start(
      [this, invocation = std::move(invocation)](int, const tools::Cancellation& cancellation,
                                                 const tools::BlockingRuns::Answer& answer) {
        if (!invocation.chunks)
          return answer(read(invocation, cancellation, {nullptr, invocation.held_bytes_max}));
        tools::WaitingChunks chunks(invocation.chunks, executor_, cancellation);
        answer(read(invocation, cancellation, {&chunks}));
      },
      std::move(done));
}

RawToolResult FileReader::read(const ToolInvocation& invocation,
                               const tools::Cancellation& cancellation,
                               tools::ResultRoom room) const {
  const auto arguments = arguments_of(invocation);
  const Json& parameters = *arguments;
  if (auto error = names_one(parameters)) return tools::failed_with(std::move(*error));
  const auto artifact = invocation.artifacts.find("artifact_id");
  if (artifact == invocation.artifacts.end())
    return read_file(roots_, config_, parameters, cancellation, room);
  const auto part = invocation.artifact_parts.find("artifact_id");
  return read_artifact(
      config_, parameters, artifact->second.text(),
      part == invocation.artifact_parts.end() ? std::nullopt : std::optional(part->second), room);
}

}  // namespace ba::files
