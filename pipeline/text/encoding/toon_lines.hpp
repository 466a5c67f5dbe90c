#pragma once
// SPDX-License-Identifier: Apache-2.0
// The lines of a TOON text with their depths, and those that are headers; comments and blank lines
// are passed over (§5.1, §12 of specification 4.0). A cursor without memory of its own: copy it to
// look ahead. The text must outlive it. Any thread.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

struct ToonLine {
  std::string_view content;  ///< without indentation and trailing spaces; never empty
  std::size_t number = 0;    ///< from 1
  int depth = 0;
  bool after_blank = false;       ///< at least one blank line stands before it
  const char* problem = nullptr;  ///< of its indentation, in strict mode
};

class ToonLines {
 public:
  ToonLines(std::string_view text, int indent, bool strict);

  /// False at the end of the text; then there is no line to look at.
  bool has_line() const { return has_line_; }
  const ToonLine& line() const { return line_; }
  void advance();

 private:
  void measure(std::string_view raw);

  std::string_view rest_;
  const std::size_t indent_;
  const bool strict_;
  bool has_line_ = false;
  std::size_t number_ = 0;
  ToonLine line_;
};

struct ToonField {
  std::string name;
  std::vector<ToonField> group;  ///< empty: a leaf, one cell in each row
};

/// §6 of specification 4.0: `key[3]:`, `[2|]{a|b{c|d}}:`, `users[2:]{age,city}:`.
struct ToonHeader {
  std::optional<std::string> key;
  std::size_t count = 0;
  bool keyed = false;
  char delimiter = ',';
  std::vector<ToonField> fields;  ///< empty: it has none
  std::size_t leaves = 0;         ///< cells of a row
  std::size_t name_bytes = 0;     ///< of all fields, as they come with each row
  int group_depth = 0;            ///< 1: no field has a group
  std::string_view values;        ///< behind the colon, without spaces at the ends
};

/// What a line is, if it isn't a header, or the header.
struct ToonHeaderReading {
  std::optional<ToonHeader> header;
  std::string problem;  ///< why a line that begins like a header is none; empty: it doesn't
};

ToonHeaderReading read_toon_header(std::string_view content);

}  // namespace ba
