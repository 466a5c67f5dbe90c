// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/file_content.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/encoding/json_document.hpp"
#include "pipeline/tool/json_shape.hpp"
#include "pipeline/tool/output_level.hpp"
#include "worker/tools/csv.hpp"
#include "worker/tools/json_path.hpp"
#include "worker/tools/large_json.hpp"
#include "worker/tools/text_encoding.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

/// Of the line that names a CSV's columns, which are repeated in every row.
constexpr std::size_t kHeaderBytesMax = 256 * 1024;
/// Of a name too long to be given.
constexpr std::size_t kNameCodePoints = 200;
constexpr const char* kReadAsText = "; read it with format text";

std::string compact(const Json& value) { return dump_exact(value); }

/// A number that reads the same when it is printed again; "007", "1e5", "+1" and "1.50" stay text.
Json field_value(const std::string& text) {
  const bool digit = !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
  if (!digit || text.size() > 20) return text;
  const Json number = parse_exact<Json>(text);
  return number.is_number() && compact(number) == text ? number : Json(text);
}

/// What the result says of how the file was read, in one line.
void add_assumed(Json& head, const std::string& text) {
  const std::string before = head.value("read_as", "");
  head["read_as"] = before.empty() ? text : before + ", " + text;
}

/// Which of `total` things a selection takes.
struct Chosen {
  std::vector<std::int64_t> indices;
  std::int64_t wanted = 0;  ///< before the row limit
};

Chosen choose(std::int64_t total, const FileSelection& selection) {
  const std::int64_t first = std::min(selection.offset, total);
  const std::int64_t left = total - first;
  const std::int64_t range = selection.limit < 0 ? left : std::min(selection.limit, left);
  Chosen chosen;
  chosen.wanted = selection.sample > 0 ? std::min(selection.sample, range) : range;
  const std::int64_t count = std::min(chosen.wanted, selection.row_limit);
  for (std::int64_t i = 0; i < count; ++i)
    chosen.indices.push_back(first + (selection.sample > 0 ? i * range / chosen.wanted : i));
  return chosen;
}

void add_note(Json& result, const std::string& text) {
  const std::string before = result.value("note", "");
  result["note"] = before.empty() ? text : before + " " + text;
}

/// Of what is listed; empty where json_path can't name its items.
std::string base_path(const FileSelection& selection) {
  if (!selection.in_json || selection.json_path.find('*') != std::string::npos) return "";
  return selection.json_path.empty() ? "$" : selection.json_path;
}

std::string left_out_note(std::int64_t count, const FileSelection& selection) {
  std::string note = std::to_string(count) + " parts too large for a result of " +
                     std::to_string(selection.bytes_max) + " bytes are not shown. ";
  if (!base_path(selection).empty()) return note + "Read one with the json_path that stands there.";
  if (selection.in_json) return note + "Name one item in json_path instead of *.";
  return note + "Read the file with format text, offset and limit.";
}

/// The result around the chosen things. `head` is what stands before them; `at` gives each, in
/// their order.
std::string listed(const char* name, std::int64_t total, Json head, const FileSelection& selection,
                   const std::function<Json(std::int64_t)>& at) {
  const Chosen chosen = choose(total, selection);
  std::string items;
  std::int64_t count = 0;
  LargeJson large(selection.bytes_max);
  for (const std::int64_t index : chosen.indices) {
    const Json value = at(index);
    std::string item = compact(value);
    if (static_cast<std::int64_t>(item.size()) > selection.bytes_max || !large.shaped(value))
      item = compact(large.shown(value, item_path(base_path(selection), index)));
    const auto bytes = static_cast<std::int64_t>(items.size() + item.size());
    if (count > 0 && bytes > selection.bytes_max) break;
    items += (count++ > 0 ? "," : "") + item;
  }
  Json result = {{"total_" + std::string(name), total}};
  if (selection.offset > 0) result["offset"] = selection.offset;
  if (selection.sample > 0) result["sampled"] = true;
  if (count < chosen.wanted) {
    result["truncated"] = true;
    add_note(result, "Only " + std::to_string(count) + " of " + std::to_string(chosen.wanted) +
                         " " + name + ". Use offset and limit for the rest, or sample.");
  }
  if (large.left_out() > 0) add_note(result, left_out_note(large.left_out(), selection));
  result.update(head);
  std::string text = compact(result);
  text.pop_back();
  return text + ",\"" + name + "\":[" + items + "]}";
}

Json bad_rows_of(const CsvTable& table) {
  Json first = Json::array();
  for (const CsvTable::BadRow& bad : table.bad_rows())
    first.push_back({{"line", bad.line}, {"problem", bad.problem}});
  return {{"count", table.bad_row_count()}, {"first", first}};
}

Result<std::string> csv_content(const std::string& content, Json head,
                                const FileSelection& selection) {
  const std::size_t names = std::min(content.find_first_of("\r\n"), content.size());
  if (names > kHeaderBytesMax)
    return invalid_argument("the first line of the CSV has " + std::to_string(names) +
                            " bytes, at most " + std::to_string(kHeaderBytesMax) +
                            " can name columns; read it with format text");
  const CsvTable table(content, kJsonMembersMax);
  if (table.column_count() > kJsonMembersMax)
    return invalid_argument("the CSV has " + std::to_string(table.column_count()) +
                            " columns, at most " + std::to_string(kJsonMembersMax) +
                            " can be read; read it with format text");
  for (const std::string& text : table.assumed()) add_assumed(head, text);
  if (!table.bad_rows().empty()) head["bad_rows"] = bad_rows_of(table);
  if (table.short_row_count() > 0)
    head["short_rows"] = {{"count", table.short_row_count()}, {"first_lines", table.short_rows()}};
  if (table.row_count() == 0) head["columns"] = table.columns();
  const auto row = [&](std::int64_t index) {
    const std::vector<std::string> fields = table.row(static_cast<std::size_t>(index));
    Json object = Json::object();
    auto& members = object.get_ref<Json::object_t&>();
    for (std::size_t i = 0; i < table.columns().size(); ++i)  // distinct: no search for each
      members.emplace_back(table.columns()[i],
                           i < fields.size() ? field_value(fields[i]) : Json(nullptr));
    return object;
  };
  return listed("rows", static_cast<std::int64_t>(table.row_count()), head, selection, row);
}

/// A byte of text in JSON has at most as many.
constexpr std::int64_t kEscapedMost = 6;

std::int64_t longest_line(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    longest = std::max(longest, size);
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return static_cast<std::int64_t>(longest);
}

/// Lines of which one is larger than a result are wrapped, so that offset and limit reach all.
std::string text_content(const std::string& whole, Json head, const FileSelection& given) {
  const FileSelection selection = [&] {
    FileSelection changed = given;
    changed.in_json = false;
    return changed;
  }();
  std::string wrapped;
  if (longest_line(whole) > selection.bytes_max / kEscapedMost) {
    const std::int64_t most = std::max<std::int64_t>(4, selection.bytes_max / kEscapedMost);
    wrapped = wrapped_lines(whole, static_cast<std::size_t>(most));
    add_assumed(head, "lines of more than " + std::to_string(most) + " bytes wrapped");
  }
  const std::string& content = wrapped.empty() ? whole : wrapped;
  const bool unended = !content.empty() && content.back() != '\n';
  const auto total = std::count(content.begin(), content.end(), '\n') + (unended ? 1 : 0);
  std::string_view rest = content;
  std::int64_t next = 0;  // the line that `rest` begins with; an index of lines could be huge
  return listed("lines", total, head, selection, [&](std::int64_t index) {
    for (; next < index; ++next) rest.remove_prefix(rest.find('\n') + 1);
    std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return Json(line);
  });
}

std::string items_of(const char* name, const Json& array, const Json& head,
                     const FileSelection& selection) {
  return listed(name, static_cast<std::int64_t>(array.size()), head, selection,
                [&](std::int64_t index) { return array[static_cast<std::size_t>(index)]; });
}

/// The name itself, or the beginning of one that no json_path could hold.
std::string short_name(const std::string& name, std::int64_t index) {
  if (name.size() <= kJsonPathCharactersMax) return name;
  return cut_code_points(name, kNameCodePoints) + " (member " + std::to_string(index) + ")";
}

/// The members of a range, each whole or with what says how it is read.
std::string members_of(const Json& object, Json head, FileSelection selection) {
  selection.row_limit = std::min<std::int64_t>(selection.row_limit, kJsonMembersMax);
  const auto total = static_cast<std::int64_t>(object.size());
  const Chosen chosen = choose(total, selection);
  LargeJson large(selection.bytes_max);
  Json members = Json::object();
  std::int64_t bytes = 0;
  for (const std::int64_t index : chosen.indices) {
    const auto member = std::next(object.begin(), index);
    Json value = large.shown(*member, member_path(base_path(selection), member.key()));
    std::string name = short_name(member.key(), index);
    bytes += static_cast<std::int64_t>(name.size() + compact(value).size());
    if (bytes > selection.bytes_max && !members.empty()) break;
    members.get_ref<Json::object_t&>().emplace_back(std::move(name), std::move(value));
  }
  Json result = {{"total_members", total}};
  if (selection.offset > 0) result["offset"] = selection.offset;
  if (selection.sample > 0) result["sampled"] = true;
  const auto count = static_cast<std::int64_t>(members.size());
  if (count < chosen.wanted) {
    result["truncated"] = true;
    add_note(result, "Only " + std::to_string(count) + " of " + std::to_string(chosen.wanted) +
                         " members. Use offset and limit for the rest, or sample.");
  }
  if (large.left_out() > 0) add_note(result, left_out_note(large.left_out(), selection));
  result.update(head);
  result["members"] = std::move(members);
  return compact(result);
}

std::string object_content(const Json& object, Json head, const FileSelection& selection) {
  if (const auto rows = rows_by_column(object)) {
    add_assumed(head, "a table kept by column and then by row, as rows");
    FileSelection of_rows = selection;
    of_rows.in_json = false;
    return items_of("rows", *rows, head, of_rows);
  }
  const bool range = selection.offset > 0 || selection.limit >= 0 || selection.sample > 0;
  if (!range && LargeJson(selection.bytes_max).fits(object)) return compact(object);
  return members_of(object, std::move(head), selection);
}

Result<std::string> json_content(const std::string& content, const Json& head,
                                 const FileSelection& selection) {
  Result<Json> read = read_json_document(content, kFileJsonDepthMax);
  if (!read) return invalid_argument("the file: " + read.error().message + kReadAsText);
  Json document = std::move(*read);
  if (!selection.json_path.empty()) {
    Result<Json> place = select_json(document, selection.json_path);
    if (!place) return place.error();
    document = std::move(*place);
  }
  if (document.is_array()) return items_of("items", document, head, selection);
  if (document.is_object()) return object_content(document, head, selection);
  if (document.is_string() && !LargeJson(selection.bytes_max).fits(document))
    return text_content(document.get_ref<const std::string&>(), head, selection);
  return compact(document);
}

}  // namespace

FileFormat format_of(std::string_view path) {
  std::string end(path.substr(std::min(path.rfind('.'), path.size())));
  for (char& c : end)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (end == ".csv" || end == ".tsv") return FileFormat::Csv;
  return end == ".json" ? FileFormat::Json : FileFormat::Text;
}

Result<std::string> file_content(std::string content, FileFormat format,
                                 const FileSelection& given) {
  FileSelection selection = given;
  selection.in_json = format == FileFormat::Json;
  DecodedText decoded = decoded_text(std::move(content));
  content = std::move(decoded.text);
  Json head = Json::object();
  if (!decoded.encoding.empty()) add_assumed(head, decoded.encoding);
  if (decoded.replaced) head["invalid_utf8"] = true;
  if (format != FileFormat::Json && !selection.json_path.empty())
    return invalid_argument("json_path: only JSON has such places; use offset, limit and sample");
  if (format == FileFormat::Csv) return csv_content(content, std::move(head), selection);
  if (format == FileFormat::Json) return json_content(content, head, selection);
  return text_content(content, head, selection);
}

}  // namespace ba
