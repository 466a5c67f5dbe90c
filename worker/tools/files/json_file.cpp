// SPDX-License-Identifier: Apache-2.0
// json_content() and jsonl_content() of file_content.hpp.

#include <string_view>
#include <utility>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "worker/tools/files/file_content.hpp"
#include "worker/tools/files/json_path.hpp"

namespace ba::files {
namespace {

using Json = nlohmann::ordered_json;

/// Of a name too long to be given.
constexpr std::size_t kNameCodePoints = 200;
/// Of lines that aren't JSON.
constexpr std::size_t kBadLinesKept = 10;
constexpr const char* kReadAsText = "; read it with format text";

/// JSON that is an array, whose items are found without being read: of a large one only what is
/// asked for becomes a tree. The text outlives it.
class ArrayText {
 public:
  /// None for what isn't a JSON array, or is nested so deeply that it can't be proven here.
  static std::optional<ArrayText> of(std::string_view text) {
    const Result<JsonView> array = JsonView::parse(text);
    if (!array || !array->is(JsonKind::Array)) return std::nullopt;
    ArrayText items;
    bool readable = true;
    array->for_each_element([&](JsonView item) {
      readable = readable && item.raw().size() <= kEncodedBytesMax;
      items.items_.push_back(item.raw());
    });
    if (!readable) return std::nullopt;
    return items;
  }

  std::int64_t size() const { return static_cast<std::int64_t>(items_.size()); }

  /// Every number with its digits.
  Json at(std::int64_t index) const {
    Result<Json> item =
        read_json_document(items_.at(static_cast<std::size_t>(index)), JsonView::kDepthMax);
    if (item) return std::move(*item);
    throw std::runtime_error("item " + std::to_string(index) +
                             " of the JSON can't be read: " + item.error().message);
  }

 private:
  std::vector<std::string_view> items_;
};

FileContent items_of(const JsonItems& array, ContentNote note, const FileSelection& selection) {
  const std::int64_t first = selection.part ? selection.part->first : 0;
  const bool rows = first < array.total && array.at(first).is_object();
  ListedItems list = listed_items(array.total, selection, array.at);
  add_range(note, list.count, list.chosen, array.total, selection, rows ? "row" : "item");
  add_left_out(note, list.left_out, selection);
  return {std::move(list.json), note.text()};
}

FileContent items_of(const Json& array, ContentNote note, FileSelection selection) {
  selection.part.reset();
  const JsonItems items{static_cast<std::int64_t>(array.size()),
                        [&](std::int64_t index) { return array[static_cast<std::size_t>(index)]; }};
  return items_of(items, std::move(note), selection);
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
  ChosenItems chosen = chosen_items(total, selection);
  chosen.cut_by.clear();  // members are few by nature: by offset all are reached
  LargeJson large(selection.value_bytes_max());
  const auto& entries = object.get_ref<const Json::object_t&>();
  Json members = Json::object();
  std::int64_t bytes = 0;
  std::int64_t left_out = 0;
  for (const std::int64_t index : chosen.indices) {
    const auto& [key, member] = *(entries.begin() + index);
    Json value = large.shown(member, member_path(path_of_items(selection), key));
    std::string name = short_name(key, index);
    bytes += static_cast<std::int64_t>(name.size() + dump_exact(value).size());
    if (bytes > selection.value_bytes_max() && !members.empty()) break;
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
  if (!range && LargeJson(selection.value_bytes_max()).fits(object))
    return {dump_exact(object), note.text()};
  return members_of(object, std::move(note), selection);
}

Result<FileContent> place_content(const Json& place, ContentNote note,
                                  const FileSelection& selection) {
  if (place.is_array()) return items_of(place, std::move(note), selection);
  if (place.is_object()) return object_content(place, std::move(note), selection);
  if (place.is_string() && !LargeJson(selection.value_bytes_max()).fits(place))
    return lines_content(place.get_ref<const std::string&>(), note, selection);
  return FileContent{dump_exact(place), note.text()};
}

Result<FileContent> document_content(const Json& document, ContentNote note,
                                     const FileSelection& selection) {
  if (selection.json_path.empty()) return place_content(document, std::move(note), selection);
  const Result<Json> place = select_json(document, selection.json_path);
  if (!place) return place.error();
  return place_content(*place, std::move(note), selection);
}

/// Of an array that isn't a tree, and need not become one.
Result<FileContent> array_content(const JsonItems& array, ContentNote note,
                                  const FileSelection& selection) {
  const std::string& path = selection.json_path;
  if (path.empty() || path == "$" || path == "$[*]" || path == "$.*")
    return items_of(array, std::move(note), selection);
  const Result<Json> place = select_json(array, path);
  if (!place) return place.error();
  return place_content(*place, std::move(note), selection);
}

/// With the places in the whole, of which a part may be all that is given.
JsonItems items_in(const ArrayText& array, const std::optional<ItemRange>& part) {
  const std::int64_t first = part ? part->first : 0;
  return {part ? part->total : array.size(),
          [&array, first](std::int64_t index) { return array.at(index - first); }};
}

}  // namespace

Result<FileContent> json_content(const std::string& content, ContentNote note,
                                 const FileSelection& selection) {
  if (const auto array = ArrayText::of(content))
    return array_content(items_in(*array, selection.part), std::move(note), selection);
  Result<Json> document = read_json_document(content, kFileJsonDepthMax);
  if (!document) return invalid_argument("the file: " + document.error().message + kReadAsText);
  return document_content(*document, std::move(note), selection);
}

Result<FileContent> jsonl_content(std::string_view content, ContentNote note,
                                  const FileSelection& selection) {
  std::vector<std::string_view> rows;
  std::vector<BadRow> bad;
  std::size_t bad_count = 0;
  for (std::size_t line = 1; !content.empty(); ++line) {
    const std::string_view text = content.substr(0, content.find('\n'));
    content.remove_prefix(std::min(text.size() + 1, content.size()));
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (read_json_document(text, kFileJsonDepthMax))
      rows.push_back(text);
    else if (++bad_count <= kBadLinesKept)
      bad.push_back({line, "not JSON that can be read"});
  }
  if (rows.empty() && bad_count > 0)
    return invalid_argument(std::string("no line of the file is JSON") + kReadAsText);
  note.add_bad_rows(bad_count, bad);
  const JsonItems items{
      static_cast<std::int64_t>(rows.size()), [&](std::int64_t index) {
        return read_json_document(rows[static_cast<std::size_t>(index)], kFileJsonDepthMax).value();
      }};
  return array_content(items, std::move(note), selection);
}

}  // namespace ba::files
