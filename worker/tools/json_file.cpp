// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/json_file.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/encoding/json_document.hpp"
#include "pipeline/tool/json_shape.hpp"
#include "pipeline/tool/output_level.hpp"
#include "worker/tools/json_path.hpp"
#include "worker/tools/large_json.hpp"
#include "worker/tools/listed_items.hpp"
#include "worker/tools/text_lines.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

/// Of a name too long to be given.
constexpr std::size_t kNameCodePoints = 200;
/// Of lines that aren't JSON.
constexpr std::size_t kBadLinesKept = 10;
constexpr const char* kReadAsText = "; read it with format text";

FileContent items_of(const Json& array, ContentNote note, const FileSelection& selection) {
  const auto total = static_cast<std::int64_t>(array.size());
  ListedItems list = listed_items(
      total, selection, [&](std::int64_t index) { return array[static_cast<std::size_t>(index)]; });
  const bool rows = total > 0 && array.front().is_object();
  add_range(note, list.count, list.chosen, total, selection, rows ? "row" : "item");
  add_left_out(note, list.left_out, selection);
  return {std::move(list.json), note.text()};
}

/// The name itself, or the beginning of one that no json_path could hold.
std::string short_name(const std::string& name, std::int64_t index) {
  if (name.size() <= kJsonPathCharactersMax) return name;
  return cut_code_points(name, kNameCodePoints) + " (member " + std::to_string(index) + ")";
}

/// The members of a range, each whole or with what says how it is read.
FileContent members_of(const Json& object, ContentNote note, FileSelection selection) {
  selection.row_limit = std::min<std::int64_t>(selection.row_limit, kJsonMembersMax);
  const auto total = static_cast<std::int64_t>(object.size());
  const ChosenItems chosen = chosen_items(total, selection);
  LargeJson large(selection.bytes_max);
  const auto& entries = object.get_ref<const Json::object_t&>();
  Json members = Json::object();
  std::int64_t bytes = 0;
  std::int64_t left_out = 0;
  for (const std::int64_t index : chosen.indices) {
    const auto& [key, member] = *(entries.begin() + index);
    Json value = large.shown(member, member_path(path_of_items(selection), key));
    std::string name = short_name(key, index);
    bytes += static_cast<std::int64_t>(name.size() + dump_exact(value).size());
    if (bytes > selection.bytes_max && !members.empty()) break;
    left_out = large.left_out();
    members.get_ref<Json::object_t&>().emplace_back(std::move(name), std::move(value));
  }
  add_range(note, static_cast<std::int64_t>(members.size()), chosen, total, selection, "member");
  add_left_out(note, left_out, selection);
  return {dump_exact(members), note.text()};
}

FileContent object_content(const Json& object, ContentNote note, const FileSelection& selection) {
  if (const auto rows = rows_by_column(object)) {
    note.assume("a table kept by column and then by row, as rows");
    FileSelection of_rows = selection;
    of_rows.in_json = false;
    return items_of(*rows, std::move(note), of_rows);
  }
  const bool range = selection.offset > 0 || selection.limit >= 0 || selection.sample > 0;
  if (!range && LargeJson(selection.bytes_max).fits(object))
    return {dump_exact(object), note.text()};
  return members_of(object, std::move(note), selection);
}

Result<FileContent> document_content(Json document, ContentNote note,
                                     const FileSelection& selection) {
  if (!selection.json_path.empty()) {
    Result<Json> place = select_json(document, selection.json_path);
    if (!place) return place.error();
    document = std::move(*place);
  }
  if (document.is_array()) return items_of(document, std::move(note), selection);
  if (document.is_object()) return object_content(document, std::move(note), selection);
  if (document.is_string() && !LargeJson(selection.bytes_max).fits(document))
    return lines_content(document.get_ref<const std::string&>(), note, selection);
  return FileContent{dump_exact(document), note.text()};
}

}  // namespace

Result<FileContent> json_content(const std::string& content, ContentNote note,
                                 const FileSelection& selection) {
  Result<Json> document = read_json_document(content, kFileJsonDepthMax);
  if (!document) return invalid_argument("the file: " + document.error().message + kReadAsText);
  return document_content(std::move(*document), std::move(note), selection);
}

Result<FileContent> jsonl_content(std::string_view content, ContentNote note,
                                  const FileSelection& selection) {
  Json rows = Json::array();
  std::vector<ContentNote::BadRow> bad;
  std::size_t bad_count = 0;
  for (std::size_t line = 1; !content.empty(); ++line) {
    const std::string_view text = content.substr(0, content.find('\n'));
    content.remove_prefix(std::min(text.size() + 1, content.size()));
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Result<Json> value = read_json_document(text, kFileJsonDepthMax);
    if (value)
      rows.push_back(std::move(*value));
    else if (++bad_count <= kBadLinesKept)
      bad.push_back({line, "not JSON that can be read"});
  }
  if (rows.empty() && bad_count > 0)
    return invalid_argument(std::string("no line of the file is JSON") + kReadAsText);
  note.add_bad_rows(bad_count, bad);
  return document_content(std::move(rows), std::move(note), selection);
}

}  // namespace ba
