// SPDX-License-Identifier: Apache-2.0
// What a header opens: lists, tables and values in line.
#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/encoding/toon_reader.hpp"
#include "pipeline/text/encoding/toon_token.hpp"

namespace ba {

// ---- arrays and tables -------------------------------------------------------------------------

bool ToonReader::value_of(const ToonHeader& header, std::size_t line, int depth,
                          OrderedJson& value) {
  const Level level(levels_);
  const int more = header.fields.empty() ? 0 : header.group_depth;
  if (!within_depth(line, more) || !within_name_bytes(header, line)) return false;
  const int spans = spans_;
  bool good = false;
  if (header.keyed)
    good = entries(header, line, depth, value);
  else if (!header.fields.empty())
    good = rows(header, line, depth, value);
  else if (!header.values.empty())
    good = inline_values(header, line, value);
  else
    good = items(header, line, depth, value);
  spans_ = spans;
  return good && no_orphans(depth);
}

bool ToonReader::within_name_bytes(const ToonHeader& header, std::size_t line) {
  const std::size_t left = kTableNameBytesMax - table_name_bytes_;
  return !strict_ || header.name_bytes == 0 || header.count <= left / header.name_bytes ||
         too_many_name_bytes(line);
}

bool ToonReader::too_many_name_bytes(std::size_t line) {
  return limit(
      line, "the names of all rows' cells take more than " + counted(kTableNameBytesMax, "bytes"));
}

bool ToonReader::inline_values(const ToonHeader& header, std::size_t line, OrderedJson& array) {
  array = OrderedJson::array();
  std::size_t at = 0;
  for (;;) {
    const std::size_t end = find_unquoted(header.values, header.delimiter, header.delimiter, at);
    const std::string_view token = without_spaces(header.values.substr(at, end - at));
    if (!primitive(line, token, array.emplace_back())) return false;
    if (end == kNone) break;
    at = end + 1;
  }
  return expect(line, array.size(), header.count, "values");
}

bool ToonReader::at_row(const ToonHeader& header) const {
  const std::string_view content = lines_.line().content;
  const std::size_t first = find_unquoted(content, header.delimiter, ':');
  return first == kNone || content[first] != ':' || header.delimiter == ':';
}

bool ToonReader::rows(const ToonHeader& header, std::size_t line, int depth, OrderedJson& array) {
  array = OrderedJson::array();
  if (below(depth)) {
    const int content = content_depth(depth);
    while (lines_.has_line() && lines_.line().depth == content && at_row(header)) {
      ToonLine row;
      if (!take(row)) return false;
      if (array.empty()) ++spans_;
      if (!cells(header, row, row.content, array.emplace_back())) return false;
    }
  }
  return no_orphans(depth) && expect(line, array.size(), header.count, "rows");
}

bool ToonReader::entries(const ToonHeader& header, std::size_t line, int depth,
                         OrderedJson& object) {
  ObjectMembers members(object);
  std::size_t count = 0;
  if (below(depth)) {
    const int content = content_depth(depth);
    while (lines_.has_line() && lines_.line().depth == content) {
      ToonLine row;
      if (!take(row)) return false;
      if (count++ == 0) ++spans_;
      if (!entry(header, row, members)) return false;
    }
  }
  return no_orphans(depth) && expect(line, count, header.count, "entries");
}

bool ToonReader::entry(const ToonHeader& header, const ToonLine& row, ObjectMembers& members) {
  const std::size_t colon = find_unquoted(row.content, ':', ':');
  if (colon == kNone)
    return fail(row.number, "a ':' is missing behind the entry's name (NAME: CELLS)");
  std::string name;
  if (!key_of(row, row.content.substr(0, colon), name)) return false;
  OrderedJson* value = slot(members, std::move(name), row.number);
  return value && cells(header, row, without_spaces(row.content.substr(colon + 1)), *value);
}

bool ToonReader::cells(const ToonHeader& header, const ToonLine& row, std::string_view text,
                       OrderedJson& object) {
  table_name_bytes_ += header.name_bytes;
  if (table_name_bytes_ > kTableNameBytesMax) return too_many_name_bytes(row.number);
  Cells cells{text, text.empty() && row.content != text ? kNone : 0, 0};
  if (!group(header, header.fields, row, cells, object)) return false;
  while (cells.at != kNone) next_cell(header, cells);
  if (cells.found == header.leaves) return true;
  if (!strict_ && cells.found < header.leaves) {
    table_name_bytes_ += (header.leaves - cells.found) * sizeof(OrderedJson::object_t::value_type);
    return true;
  }
  return fail(row.number, "the row has " + counted(cells.found, "cells") + ", the header " +
                              counted(header.leaves, "fields"));
}

std::string_view ToonReader::next_cell(const ToonHeader& header, Cells& cells) {
  const std::size_t end = find_unquoted(cells.text, header.delimiter, header.delimiter, cells.at);
  const std::string_view token = without_spaces(cells.text.substr(cells.at, end - cells.at));
  cells.at = end == kNone ? kNone : end + 1;
  ++cells.found;
  return token;
}

bool ToonReader::group(const ToonHeader& header, const std::vector<ToonField>& fields,
                       const ToonLine& row, Cells& cells, OrderedJson& object) {
  ObjectMembers members(object);
  for (const ToonField& field : fields) {
    OrderedJson* value = slot(members, field.name, row.number);
    if (!value) return false;
    if (!field.group.empty()) {
      if (!group(header, field.group, row, cells, *value)) return false;
    } else if (cells.at == kNone) {
      *value = nullptr;
    } else if (!primitive(row.number, next_cell(header, cells), *value)) {
      return false;
    }
  }
  return true;
}

// ---- lists -------------------------------------------------------------------------------------

bool ToonReader::items(const ToonHeader& header, std::size_t line, int depth, OrderedJson& array) {
  array = OrderedJson::array();
  if (below(depth)) {
    const int content = content_depth(depth);
    while (lines_.has_line() && lines_.line().depth == content) {
      const std::string_view text = lines_.line().content;
      if (text != "-" && !text.starts_with("- ")) break;
      ToonLine row;
      if (!take(row)) return false;
      if (array.empty()) ++spans_;
      if (!item(row, without_spaces(text.substr(1)), content, array.emplace_back())) return false;
      if (!no_orphans(content)) return false;
    }
  }
  return list_ended(depth) && expect(line, array.size(), header.count, "items");
}

bool ToonReader::list_ended(int depth) {
  if (strict_ && below(depth) && lines_.line().depth == depth + 1)
    return fail(lines_.line().number, "a list's item must begin with \"- \"");
  return no_orphans(depth);
}

bool ToonReader::item(const ToonLine& line, std::string_view rest, int depth, OrderedJson& value) {
  if (rest.empty()) {
    value = OrderedJson::object();
    return within_depth(line.number, 1);
  }
  const ToonHeaderReading reading = read_toon_header(rest);
  const bool list = reading.header && !reading.header->key && reading.header->fields.empty();
  if (list) return value_of(*reading.header, line.number, depth, value);
  const bool header = reading.header || (!reading.problem.empty() && strict_);
  if (!header && find_unquoted(rest, ':', ':') == kNone) return field_value(line, rest, value);
  ObjectMembers members(value);
  const Level level(levels_);
  return field(members, line, rest, depth + 1) && members_below(members, depth);
}

}  // namespace ba
