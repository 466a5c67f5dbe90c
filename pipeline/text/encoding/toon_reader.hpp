#pragma once
// SPDX-License-Identifier: Apache-2.0
// How toon.hpp reads a document: one line after the other, each of what stands around it. One
// object reads one document. Inside of this folder only.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/encoding/toon.hpp"
#include "pipeline/text/encoding/toon_lines.hpp"

namespace ba {

/// Every function answers whether it is well so far; `error_` says why not. The depth that they are
/// given is that of the line of which they read what stands below.
class ToonReader {
 public:
  ToonReader(std::string_view text, const ToonReading& reading)
      : strict_(reading.strict), lines_(text, reading.indent, reading.strict) {}

  Result<OrderedJson> document();

 private:
  static constexpr std::size_t kNone = std::string_view::npos;

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

  /// One row's cells, split as they are needed.
  struct Cells {
    std::string_view text;
    std::size_t at = 0;  ///< kNone: there are no more
    std::size_t found = 0;
  };

  // Failing.
  static std::string counted(std::size_t number, const char* what);
  bool fail(std::size_t line, const std::string& what, ErrorCode code = ErrorCode::InvalidArgument);
  bool limit(std::size_t line, const std::string& what);
  /// Of a count, which only strict reading checks.
  bool expect(std::size_t line, std::size_t found, std::size_t declared, const char* what);

  // Lines.
  /// Takes the line at the cursor; what is wrong with its place is found here.
  bool take(ToonLine& line);
  bool below(int depth) const;
  /// The depth of what stands below a line of this one: the next, or in lenient reading deeper.
  int content_depth(int depth) const;
  /// Lines deeper than any scope that could hold them.
  bool no_orphans(int depth);

  // Document.
  bool root_value(OrderedJson& root);

  // Objects.
  bool within_depth(std::size_t line, int more = 0);
  bool object_below(OrderedJson& object, int depth);
  bool members_below(ObjectMembers& members, int depth);
  /// The value that a name stands for, or nothing where the name stands twice.
  OrderedJson* slot(ObjectMembers& members, std::string name, std::size_t line);
  /// One member, which stands at `depth`: a line, or what follows a list item's hyphen.
  bool field(ObjectMembers& members, const ToonLine& line, std::string_view content, int depth);
  bool key_of(const ToonLine& line, std::string_view text, std::string& name);
  bool field_value(const ToonLine& line, std::string_view token, OrderedJson& value);
  bool primitive(std::size_t line, std::string_view token, OrderedJson& value);

  // Arrays and tables.
  /// What a header at `depth` opens.
  bool value_of(const ToonHeader& header, std::size_t line, int depth, OrderedJson& value);
  /// Before any row is read, where the declared count can be relied upon.
  bool within_name_bytes(const ToonHeader& header, std::size_t line);
  bool too_many_name_bytes(std::size_t line);
  bool inline_values(const ToonHeader& header, std::size_t line, OrderedJson& array);
  /// Whether a row stands at the cursor rather than a member (§9.3).
  bool at_row(const ToonHeader& header) const;
  bool rows(const ToonHeader& header, std::size_t line, int depth, OrderedJson& array);
  bool entries(const ToonHeader& header, std::size_t line, int depth, OrderedJson& object);
  bool entry(const ToonHeader& header, const ToonLine& row, ObjectMembers& members);
  bool cells(const ToonHeader& header, const ToonLine& row, std::string_view text,
             OrderedJson& object);
  static std::string_view next_cell(const ToonHeader& header, Cells& cells);
  bool group(const ToonHeader& header, const std::vector<ToonField>& fields, const ToonLine& row,
             Cells& cells, OrderedJson& object);

  // Lists.
  bool items(const ToonHeader& header, std::size_t line, int depth, OrderedJson& array);
  bool list_ended(int depth);
  /// One item whose hyphen stands at `depth`.
  bool item(const ToonLine& line, std::string_view rest, int depth, OrderedJson& value);

  const bool strict_;
  ToonLines lines_;
  int levels_ = 0;
  int spans_ = 0;  // arrays and tables that have begun around the cursor
  std::size_t table_name_bytes_ = 0;
  Error error_;
};

}  // namespace ba
