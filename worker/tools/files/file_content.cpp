// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/file_content.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/base/lower_case.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "worker/tools/files/csv.hpp"
#include "worker/tools/files/json_file.hpp"
#include "worker/tools/files/listed_items.hpp"
#include "worker/tools/files/text_encoding.hpp"
#include "worker/tools/files/text_lines.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

/// Of the line that names a CSV's columns, which are repeated in every row.
constexpr std::size_t kHeaderBytesMax = 256 * 1024;

/// A number that reads the same when it is printed again; "007", "1e5", "+1" and "1.50" stay text.
Json field_value(const std::string& text) {
  const bool digit = !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
  if (!digit || text.size() > 20) return text;
  const Json number = parse_exact<Json>(text);
  return number.is_number() && dump_exact(number) == text ? number : Json(text);
}

std::vector<ContentNote::BadRow> bad_rows_of(const CsvTable& table) {
  std::vector<ContentNote::BadRow> rows;
  for (const CsvTable::BadRow& bad : table.bad_rows()) rows.push_back({bad.line, bad.problem});
  return rows;
}

void add_short_rows(ContentNote& note, const CsvTable& table) {
  if (table.short_row_count() == 0) return;
  std::string lines;
  for (const std::size_t line : table.short_rows())
    lines += (lines.empty() ? "" : ", ") + std::to_string(line);
  note.add(counted(table.short_row_count(), "row") + " with fewer cells than columns, which are " +
           "null (line" + (table.short_rows().size() == 1 ? " " : "s ") + lines +
           (table.short_row_count() > table.short_rows().size() ? ", …" : "") + ").");
}

std::string column_names(const CsvTable& table) {
  std::string names;
  for (const std::string& name : table.columns()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

Result<FileContent> csv_content(const std::string& content, ContentNote note,
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
  std::size_t header = 0;
  for (const std::string& column : table.columns()) header += column.size();
  if (header > kHeaderBytesMax)
    return invalid_argument("the CSV's columns have names of " + std::to_string(header) +
                            " bytes, at most " + std::to_string(kHeaderBytesMax) +
                            " can be read; read it with format text");
  const auto row = [&](std::int64_t index) {
    const std::vector<std::string> fields = table.row(static_cast<std::size_t>(index));
    Json object = Json::object();
    auto& members = object.get_ref<Json::object_t&>();
    for (std::size_t i = 0; i < table.columns().size(); ++i)  // distinct: no search for each
      members.emplace_back(table.columns()[i],
                           i < fields.size() ? field_value(fields[i]) : Json(nullptr));
    return object;
  };
  const auto total = static_cast<std::int64_t>(table.row_count());
  ListedItems list = listed_items(total, selection, row);
  add_range(note, list.count, list.chosen, total, selection, "row");
  add_left_out(note, list.left_out, selection);
  if (total == 0 && !table.columns().empty())
    note.add("There are no rows; the columns are " + column_names(table) + ".");
  note.add_bad_rows(table.bad_row_count(), bad_rows_of(table));
  add_short_rows(note, table);
  for (const std::string& text : table.assumed()) note.assume(text);
  return FileContent{std::move(list.json), note.text()};
}

}  // namespace

FileFormat format_of(std::string_view path) {
  std::string end(path.substr(std::min(path.rfind('.'), path.size())));
  for (char& c : end)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (end == ".csv" || end == ".tsv") return FileFormat::Csv;
  if (end == ".jsonl" || end == ".ndjson") return FileFormat::Jsonl;
  return end == ".json" ? FileFormat::Json : FileFormat::Text;
}

Result<FileContent> file_content(std::string content, FileFormat format,
                                 const FileSelection& given) {
  FileSelection selection = given;
  selection.in_json = format == FileFormat::Json || format == FileFormat::Jsonl;
  if (!selection.in_json && !selection.json_path.empty())
    return invalid_argument("json_path: only JSON has such places; use offset, limit and sample");
  DecodedText decoded = decoded_text(std::move(content));
  content = std::move(decoded.text);
  ContentNote note;
  if (!decoded.encoding.empty()) note.assume(decoded.encoding);
  if (decoded.replaced) note.add("What is not UTF-8 reads \xEF\xBF\xBD.");
  if (format == FileFormat::Csv) return csv_content(content, std::move(note), selection);
  if (format == FileFormat::Json) return json_content(content, std::move(note), selection);
  if (format == FileFormat::Jsonl) return jsonl_content(content, std::move(note), selection);
  return lines_content(content, note, selection);
}

Result<FileContent> json_data_content(const std::string& json, const FileSelection& given) {
  FileSelection selection = given;
  selection.in_json = true;
  return json_content(json, {}, selection);
}

}  // namespace ba
