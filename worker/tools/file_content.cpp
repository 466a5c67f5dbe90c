// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/file_content.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "pipeline/tool/json_shape.hpp"
#include "pipeline/tool/output_level.hpp"
#include "worker/tools/csv.hpp"
#include "worker/tools/json_path.hpp"
#include "worker/tools/text_encoding.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

/// Of the line that names a CSV's columns, which are repeated in every row.
constexpr std::size_t kHeaderBytesMax = 256 * 1024;
/// Of a key that is named of a document too large to be given.
constexpr std::size_t kKeyCodePoints = 200;

std::string compact(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A number that reads the same when it is printed again; "007", "1e5", "+1" and "1.50" stay text.
Json field_value(const std::string& text) {
  const bool digit = !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
  if (!digit || text.size() > 20) return text;
  const Json number = Json::parse(text, nullptr, false);
  return number.is_number() && compact(number) == text ? number : Json(text);
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

/// The result around the chosen things. `head` is what stands before them; `at` gives each, in
/// their order.
std::string listed(const char* name, std::int64_t total, Json head, const FileSelection& selection,
                   const std::function<Json(std::int64_t)>& at) {
  const Chosen chosen = choose(total, selection);
  std::string items;
  std::int64_t count = 0;
  for (const std::int64_t index : chosen.indices) {
    const std::string item = compact(at(index));
    if (static_cast<std::int64_t>(items.size() + item.size()) > selection.bytes_max) break;
    items += (count++ > 0 ? "," : "") + item;
  }
  Json result = {{"total_" + std::string(name), total}};
  if (selection.offset > 0) result["offset"] = selection.offset;
  if (selection.sample > 0) result["sampled"] = true;
  if (count < chosen.wanted) {
    result["truncated"] = true;
    result["note"] = "Only " + std::to_string(count) + " of " + std::to_string(chosen.wanted) +
                     " " + name + ". Use offset and limit for the rest, or sample.";
  }
  result.update(head);
  std::string text = compact(result);
  text.pop_back();
  return text + ",\"" + name + "\":[" + items + "]}";
}

/// What the result says of how the file was read, in one line.
void add_assumed(Json& head, const std::string& text) {
  const std::string before = head.value("read_as", "");
  head["read_as"] = before.empty() ? text : before + ", " + text;
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

Result<std::string> json_content(const std::string& content, const Json& head,
                                 const FileSelection& selection) {
  const JsonShape shape = json_shape(content);
  if (shape.depth > kJsonDepthMax - 4 || shape.members > kJsonMembersMax)
    return invalid_argument("the JSON is nested too deeply or has too wide an object (" +
                            json_shape_limits() + " can be read); read it with format text");
  Json document = Json::parse(content, nullptr, false);
  if (document.is_discarded())
    return invalid_argument("the file is not valid JSON; read it with format text");
  if (!selection.json_path.empty()) {
    Result<Json> place = select_json(document, selection.json_path);
    if (!place) return place.error();
    document = std::move(*place);
  }
  if (document.is_array())
    return listed("items", static_cast<std::int64_t>(document.size()), head, selection,
                  [&](std::int64_t index) { return document[static_cast<std::size_t>(index)]; });
  std::string text = compact(document);
  if (static_cast<std::int64_t>(text.size()) <= selection.bytes_max) return text;
  Json result = {{"truncated", true},
                 {"note", "The document has " + std::to_string(text.size()) +
                              " bytes, more than are read at once. Read parts of it with "
                              "json_path, or lines with format text, offset and limit."},
                 {"keys", Json::array()}};
  for (auto item = document.begin(); item != document.end() && result["keys"].size() < 100; ++item)
    if (document.is_object()) result["keys"].push_back(cut_code_points(item.key(), kKeyCodePoints));
  return compact(result);
}

std::string text_content(const std::string& content, const Json& head,
                         const FileSelection& selection) {
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

}  // namespace

FileFormat format_of(std::string_view path) {
  std::string end(path.substr(std::min(path.rfind('.'), path.size())));
  for (char& c : end)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (end == ".csv" || end == ".tsv") return FileFormat::Csv;
  return end == ".json" ? FileFormat::Json : FileFormat::Text;
}

Result<std::string> file_content(std::string content, FileFormat format,
                                 const FileSelection& selection) {
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
