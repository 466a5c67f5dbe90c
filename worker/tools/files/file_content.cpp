// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/file_content.hpp"

#include <string_view>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/base/joined.hpp"
#include "pipeline/base/lower_case.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "worker/tools/files/csv.hpp"
#include "worker/tools/files/text_encoding.hpp"

namespace ba::files {
namespace {

using Json = nlohmann::ordered_json;

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

/// `text` with line ends in lines of more than `bytes_max` bytes, at least 4, between characters.
std::string wrapped_lines(std::string_view text, std::size_t bytes_max) {
  std::string wrapped;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    while (line.size() > bytes_max) {
      const std::string_view piece = utf8_prefix(line, bytes_max);
      wrapped.append(piece).append("\n");
      line.remove_prefix(piece.size());
    }
    wrapped.append(line);
    if (end == text.npos) break;
    wrapped += '\n';
    text.remove_prefix(end + 1);
  }
  return wrapped;
}

/// Before the lines.
Json told(std::int64_t total, const ListedItems& list, const ContentNote& note,
          const FileSelection& selection) {
  Json result = {{"total_lines", total}};
  if (selection.offset > 0) result["offset"] = selection.offset;
  if (selection.sample > 0) result["sampled"] = true;
  std::string said = note.sentences();
  if (list.count < list.chosen.wanted) {
    result["truncated"] = true;
    said += (said.empty() ? "Only " : " Only ") + std::to_string(list.count) + " of " +
            std::to_string(list.chosen.wanted) +
            " lines. Use offset and limit for the rest, or sample.";
  }
  if (!said.empty()) result["note"] = said;
  if (!note.read_as().empty()) result["read_as"] = note.read_as();
  return result;
}

/// Of the line that names a CSV's columns, which are repeated in every row.
constexpr std::size_t kHeaderBytesMax = 256 * 1024;

/// A number that reads the same when it is printed again; "007", "1e5", "+1" and "1.50" stay text.
Json field_value(const std::string& text) {
  const bool digit = !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
  if (!digit || text.size() > 20) return text;
  const Json number = parse_exact<Json>(text);
  return number.is_number() && dump_exact(number) == text ? number : Json(text);
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
    note.add("There are no rows; the columns are " + joined(table.columns()) + ".");
  note.add_bad_rows(table.bad_row_count(), table.bad_rows());
  add_short_rows(note, table);
  for (const std::string& text : table.assumed()) note.assume(text);
  return FileContent{std::move(list.json), note.text()};
}

}  // namespace

FileContent lines_content(const std::string& text, const ContentNote& given,
                          const FileSelection& of_file) {
  ContentNote note = given;
  FileSelection selection = of_file;
  selection.in_json = false;
  selection.items = nullptr;
  selection.bytes_max = of_file.value_bytes_max();
  std::string wrapped;
  if (longest_line(text) > selection.bytes_max / kEscapedMost) {
    const std::int64_t most = std::max<std::int64_t>(4, selection.bytes_max / kEscapedMost);
    wrapped = wrapped_lines(text, static_cast<std::size_t>(most));
    note.assume("lines of more than " + std::to_string(most) + " bytes wrapped");
  }
  const std::string& content = wrapped.empty() ? text : wrapped;
  const bool unended = !content.empty() && content.back() != '\n';
  const auto total = std::count(content.begin(), content.end(), '\n') + (unended ? 1 : 0);
  std::string_view rest = content;
  std::int64_t next = 0;  // the line that `rest` begins with; an index of lines could be huge
  const ListedItems list = listed_items(total, selection, [&](std::int64_t index) {
    for (; next < index; ++next) rest.remove_prefix(rest.find('\n') + 1);
    std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return Json(line);
  });
  std::string json = dump_exact(told(total, list, note, selection));
  json.pop_back();
  return {json + ",\"lines\":" + list.json + "}", ""};
}

FileFormat format_of(std::string_view path) {
  const std::string end = lower_case(path.substr(std::min(path.rfind('.'), path.size())));
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

}  // namespace ba::files
