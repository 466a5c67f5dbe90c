#pragma once
// SPDX-License-Identifier: Apache-2.0
// The records of CSV text in one dialect, one after the other, and the fields of one. A quote that
// isn't closed, or is followed by other text, spoils the line that it is in; the next record begins
// with the next line. A quote that is closed only by a later stray one is known by the lines it has
// swallowed: they are rows of the expected width. Pure; any thread.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

struct CsvDialect {
  char separator = ',';
  char quote = '"';              ///< '\0': none, quotes are text
  bool backslash = false;        ///< \" is a quote within quotes, as "" is
  bool spaced = false;           ///< spaces after a separator belong to it
  bool carriage_return = false;  ///< a line may end with CR alone, too

  friend bool operator==(const CsvDialect&, const CsvDialect&) = default;
};

struct CsvRecord {
  enum class Problem { None, QuoteNotClosed, TextAfterQuote };

  std::string_view text;    ///< without its line end
  std::size_t line = 1;     ///< where it starts in the text
  std::size_t fields = 0;   ///< 0: a blank line
  std::size_t extent = 0;   ///< fields without the empty ones at the end
  std::size_t strays = 0;   ///< fields that have a quote but aren't quoted
  std::size_t returns = 0;  ///< such with a carriage return
  std::size_t padded = 0;   ///< fields, but the first, that begin with a space
  bool quoted = false;      ///< a field at least
  Problem problem = Problem::None;

  friend bool operator==(const CsvRecord&, const CsvRecord&) = default;
};

class CsvRecords {
 public:
  CsvRecords(std::string_view text, const CsvDialect& dialect) : text_(text), dialect_(dialect) {}

  /// False at the end.
  bool next(CsvRecord& record);

  /// How many fields the rows should have; 0, as at first: not known.
  void expect(std::size_t width) { width_ = width; }

 private:
  CsvRecord record_at(std::string_view text) const;
  bool has_swallowed_rows(const CsvRecord& record) const;
  bool is_row(std::string_view line) const;

  std::string_view text_;
  CsvDialect dialect_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t width_ = 0;
};

/// Of a record without a problem.
std::vector<std::string> csv_fields(std::string_view record, const CsvDialect& dialect);

/// Of the first line end of the text, or the text's size.
std::size_t csv_line_size(std::string_view text, const CsvDialect& dialect);

}  // namespace ba
