// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/encoding/encoding_limits.hpp"
#include "pipeline/encoding/object_members.hpp"
#include "pipeline/encoding/toon.hpp"
#include "pipeline/encoding/toon_header.hpp"
#include "pipeline/encoding/toon_lines.hpp"
#include "pipeline/encoding/toon_token.hpp"
#include "pipeline/message/utf8.hpp"

namespace ba {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

std::string counted(std::size_t number, const char* what) {
  return std::to_string(number) + " " + what;
}

/// Reads one document. Every function answers whether it is well so far; `error_` says why not.
/// The depth that they are given is that of the line of which they read what stands below.
class Reader {
 public:
  Reader(std::string_view text, const ToonReading& reading)
      : strict_(reading.strict), lines_(text, reading.indent, reading.strict) {}

  Result<OrderedJson> document() {
    OrderedJson root = OrderedJson::object();
    if (lines_.has_line() && !root_value(root)) return error_;
    if (lines_.has_line() && strict_) {
      fail(lines_.line().number, "nothing may follow the end of the document's one value");
      return error_;
    }
    return Result<OrderedJson>(boost::system::in_place_value, std::move(root));
  }

 private:
  // ---- failing --------------------------------------------------------------------------------

  bool fail(std::size_t line, const std::string& what,
            ErrorCode code = ErrorCode::InvalidArgument) {
    error_.code = code;
    error_.message = "line " + std::to_string(line) + ": " + what;
    return false;
  }

  bool limit(std::size_t line, const std::string& what) {
    return fail(line, what, ErrorCode::LimitExceeded);
  }

  /// Of a count, which only strict reading checks.
  bool expect(std::size_t line, std::size_t found, std::size_t declared, const char* what) {
    if (!strict_ || found == declared) return true;
    return fail(line, "the header declares " + counted(declared, what) + ", but there are " +
                          std::to_string(found));
  }

  // ---- lines ----------------------------------------------------------------------------------

  /// Takes the line at the cursor; what is wrong with its place is found here.
  bool take(ToonLine& line) {
    line = lines_.line();
    lines_.advance();
    if (line.problem) return fail(line.number, line.problem);
    if (strict_ && line.after_blank && spans_ > 0)
      return fail(line.number, "a blank line stands within an array or table");
    return true;
  }

  bool below(int depth) const { return lines_.has_line() && lines_.line().depth > depth; }

  /// The depth of what stands below a line of this one: the next, or in lenient reading deeper.
  int content_depth(int depth) const {
    return !strict_ && below(depth) ? lines_.line().depth : depth + 1;
  }

  /// Lines deeper than any scope that could hold them.
  bool no_orphans(int depth) {
    while (lines_.has_line() && lines_.line().depth > depth) {
      if (strict_)
        return fail(lines_.line().number,
                    "the line is indented deeper than what it could belong to");
      lines_.advance();
    }
    return true;
  }

  // ---- document -------------------------------------------------------------------------------

  bool root_value(OrderedJson& root) {
    const ToonLine first = lines_.line();
    ToonLines rest = lines_;
    rest.advance();
    if (first.depth == 0) {
      ToonHeaderReading reading = read_toon_header(first.content);
      if (reading.header && !reading.header->key) {
        lines_.advance();
        return first.problem ? fail(first.number, first.problem)
                             : value_of(*reading.header, first.number, 0, root);
      }
      const bool scalar = !rest.has_line() && find_unquoted(first.content, ':', ':') == kNone;
      if (first.content == "[]" || scalar) {
        ToonLine line;
        if (!take(line)) return false;
        return field_value(line, first.content, root);
      }
    }
    return object_below(root, -1);
  }

  // ---- objects --------------------------------------------------------------------------------

  /// Guards each object and array against too many levels.
  class Level {
   public:
    explicit Level(int& levels) : levels_(++levels) {}
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --levels_; }

   private:
    int& levels_;
  };

  bool within_depth(std::size_t line, int more = 0) {
    return levels_ + more <= kEncodedDepthMax ||
           limit(line, "nested deeper than " + counted(kEncodedDepthMax, "levels"));
  }

  bool object_below(OrderedJson& object, int depth) {
    ObjectMembers members(object);
    const Level level(levels_);
    const std::size_t line = lines_.has_line() ? lines_.line().number : 0;
    return within_depth(line) && members_below(members, depth);
  }

  bool members_below(ObjectMembers& members, int depth) {
    if (!lines_.has_line() || !below(depth)) return true;
    const int content = content_depth(depth);
    while (lines_.has_line() && lines_.line().depth >= content) {
      if (!no_orphans(content)) return false;
      if (!lines_.has_line() || lines_.line().depth < content) break;
      ToonLine line;
      if (!take(line) || !field(members, line, line.content, content)) return false;
    }
    return no_orphans(depth);
  }

  /// The value that a name stands for, or nothing where the name stands twice.
  OrderedJson* slot(ObjectMembers& members, std::string name, std::size_t line) {
    const ObjectMembers::Place place = members.place(name);
    if (!place.fresh && strict_) {
      fail(line, "the name \"" + name.substr(0, 60) + "\" stands twice in one object");
      return nullptr;
    }
    if (members.size() > kEncodedMembersMax) {
      limit(line, "an object has more than " + counted(kEncodedMembersMax, "members"));
      return nullptr;
    }
    return place.value;
  }

  /// One member, which stands at `depth`: a line, or what follows a list item's hyphen.
  bool field(ObjectMembers& members, const ToonLine& line, std::string_view content, int depth) {
    if (!within_depth(line.number)) return false;
    ToonHeaderReading reading = read_toon_header(content);
    if (reading.header && reading.header->key) {
      OrderedJson* value = slot(members, *reading.header->key, line.number);
      return value && value_of(*reading.header, line.number, depth, *value);
    }
    if (reading.header)
      reading.problem =
          "a header without a key stands only at the start of the document, or "
          "without fields behind a list item's hyphen";
    if (!reading.problem.empty() && strict_) return fail(line.number, reading.problem);
    const std::size_t colon = find_unquoted(content, ':', ':');
    if (colon == kNone)
      return fail(line.number, "a ':' is missing behind the member's name (NAME: VALUE)");
    std::string name;
    if (!key_of(line, content.substr(0, colon), name)) return false;
    OrderedJson* value = slot(members, std::move(name), line.number);
    if (!value) return false;
    const std::string_view token = without_spaces(content.substr(colon + 1));
    return token.empty() ? object_below(*value, depth) : field_value(line, token, *value);
  }

  bool key_of(const ToonLine& line, std::string_view text, std::string& name) {
    const std::string_view token = without_spaces(text);
    if (!token.starts_with('"')) {
      name = token;
      return true;
    }
    std::string why;
    auto quoted = read_toon_quoted(token, why);
    if (!quoted) return fail(line.number, why);
    name = std::move(*quoted);
    return true;
  }

  bool field_value(const ToonLine& line, std::string_view token, OrderedJson& value) {
    if (token != "[]") return primitive(line.number, token, value);
    value = OrderedJson::array();
    return within_depth(line.number, 1);
  }

  bool primitive(std::size_t line, std::string_view token, OrderedJson& value) {
    std::string why;
    auto read = read_toon_primitive(token, why);
    if (!read) return fail(line, why);
    value = std::move(*read);
    return true;
  }

  // ---- arrays and tables ----------------------------------------------------------------------

  /// What a header at `depth` opens.
  bool value_of(const ToonHeader& header, std::size_t line, int depth, OrderedJson& value) {
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

  /// Before any row is read, where the declared count can be relied upon.
  bool within_name_bytes(const ToonHeader& header, std::size_t line) {
    const std::size_t left = kTableNameBytesMax - table_name_bytes_;
    return !strict_ || header.name_bytes == 0 || header.count <= left / header.name_bytes ||
           too_many_name_bytes(line);
  }

  bool too_many_name_bytes(std::size_t line) {
    return limit(line, "the names of all rows' cells take more than " +
                           counted(kTableNameBytesMax, "bytes"));
  }

  bool inline_values(const ToonHeader& header, std::size_t line, OrderedJson& array) {
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

  /// Whether a row stands at the cursor rather than a member (§9.3).
  bool at_row(const ToonHeader& header) const {
    const std::string_view content = lines_.line().content;
    const std::size_t first = find_unquoted(content, header.delimiter, ':');
    return first == kNone || content[first] != ':' || header.delimiter == ':';
  }

  bool rows(const ToonHeader& header, std::size_t line, int depth, OrderedJson& array) {
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

  bool entries(const ToonHeader& header, std::size_t line, int depth, OrderedJson& object) {
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

  bool entry(const ToonHeader& header, const ToonLine& row, ObjectMembers& members) {
    const std::size_t colon = find_unquoted(row.content, ':', ':');
    if (colon == kNone)
      return fail(row.number, "a ':' is missing behind the entry's name (NAME: CELLS)");
    std::string name;
    if (!key_of(row, row.content.substr(0, colon), name)) return false;
    OrderedJson* value = slot(members, std::move(name), row.number);
    return value && cells(header, row, without_spaces(row.content.substr(colon + 1)), *value);
  }

  /// One row's cells, split as they are needed.
  struct Cells {
    std::string_view text;
    std::size_t at = 0;  ///< kNone: there are no more
    std::size_t found = 0;
  };

  bool cells(const ToonHeader& header, const ToonLine& row, std::string_view text,
             OrderedJson& object) {
    table_name_bytes_ += header.name_bytes;
    if (table_name_bytes_ > kTableNameBytesMax) return too_many_name_bytes(row.number);
    Cells cells{text, text.empty() && row.content != text ? kNone : 0, 0};
    if (!group(header, header.fields, row, cells, object)) return false;
    while (cells.at != kNone) next_cell(header, cells);
    if (cells.found == header.leaves) return true;
    if (!strict_ && cells.found < header.leaves) {
      table_name_bytes_ +=
          (header.leaves - cells.found) * sizeof(OrderedJson::object_t::value_type);
      return true;
    }
    return fail(row.number, "the row has " + counted(cells.found, "cells") + ", the header " +
                                counted(header.leaves, "fields"));
  }

  static std::string_view next_cell(const ToonHeader& header, Cells& cells) {
    const std::size_t end = find_unquoted(cells.text, header.delimiter, header.delimiter, cells.at);
    const std::string_view token = without_spaces(cells.text.substr(cells.at, end - cells.at));
    cells.at = end == kNone ? kNone : end + 1;
    ++cells.found;
    return token;
  }

  bool group(const ToonHeader& header, const std::vector<ToonField>& fields, const ToonLine& row,
             Cells& cells, OrderedJson& object) {
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

  // ---- lists ----------------------------------------------------------------------------------

  bool items(const ToonHeader& header, std::size_t line, int depth, OrderedJson& array) {
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

  bool list_ended(int depth) {
    if (strict_ && below(depth) && lines_.line().depth == depth + 1)
      return fail(lines_.line().number, "a list's item must begin with \"- \"");
    return no_orphans(depth);
  }

  /// One item whose hyphen stands at `depth`.
  bool item(const ToonLine& line, std::string_view rest, int depth, OrderedJson& value) {
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

  const bool strict_;
  ToonLines lines_;
  int levels_ = 0;
  int spans_ = 0;  // arrays and tables that have begun around the cursor
  std::size_t table_name_bytes_ = 0;
  Error error_;
};

}  // namespace

Result<OrderedJson> toon_decode(std::string_view text, const ToonReading& reading) {
  if (text.size() > kEncodedBytesMax) {
    Error error = invalid_argument("larger than " + counted(kEncodedBytesMax, "bytes"));
    error.code = ErrorCode::LimitExceeded;
    return error;
  }
  if (const auto defect = utf8_defect(text))
    return invalid_argument(describe_utf8_defect(text, *defect));
  return Reader(text, reading).document();
}

}  // namespace ba
