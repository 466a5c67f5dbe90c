// SPDX-License-Identifier: Apache-2.0
#pragma once
// A table in CSV text as people have it (RFC 4180 and its dialects, csv_dialect.cpp): a header row,
// then rows. What only looks different is the same: separators at the ends of lines, cells that a
// row lacks at its end, blank lines, row names of which the header says nothing (R). Rows are found
// in one pass and split only when asked for, so that a large file costs no more than its index.
// Pure; any thread.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "worker/tools/files/file_content.hpp"

namespace ba::files {

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

/// The records of CSV text in one dialect, one after the other.
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

/// So much of a text is looked at.
inline constexpr std::size_t kCsvSampleBytes = 1024 * 1024;

struct CsvLayout {
  CsvDialect dialect;
  std::size_t records_before_header = 0;  ///< a title above the table, blank lines included
};

/// Which dialect the text is written in. `separator`: the one that the text names itself, or '\0'.
CsvLayout find_csv_layout(std::string_view text, char separator);

/// Takes a first line such as `sep=;` away and gives its separator; '\0' where there is none.
char take_separator_line(std::string_view& text);

class CsvTable {
 public:
  /// `text` outlives the table. Of a header with more than `columns_max` names only their number
  /// is known: no columns, no rows.
  CsvTable(std::string_view text, std::size_t columns_max);

  std::size_t column_count() const { return column_count_; }
  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t row_count() const { return rows_.size(); }

  /// At most as many as there are columns; a short row has fewer.
  std::vector<std::string> row(std::size_t index) const;

  std::size_t bad_row_count() const { return bad_row_count_; }
  const std::vector<BadRow>& bad_rows() const { return bad_rows_; }  ///< the first kBadRowsKept
  std::size_t short_row_count() const { return short_row_count_; }
  const std::vector<std::size_t>& short_rows() const { return short_rows_; }  ///< lines, likewise

  /// What was assumed, and left out without loss, where that isn't what everybody assumes:
  /// "separated by ;", "2 blank lines left out", …
  std::vector<std::string> assumed() const;

  static constexpr std::size_t kBadRowsKept = 10;

 private:
  void read_header(const CsvRecord& record, std::size_t columns_max);
  bool has_row_names(CsvRecords records) const;
  void add_row_names();
  void take(const CsvRecord& record);
  bool surplus_is_blank(const CsvRecord& record) const;
  void take_bad_row(const CsvRecord& record);
  void name_columns();

  CsvDialect dialect_;
  std::size_t lines_before_ = 0;  ///< a line `sep=;`
  std::size_t title_lines_ = 0;   ///< before the header
  bool row_names_ = false;        ///< the header has no name for the first column
  std::size_t column_count_ = 0;
  std::size_t filled_columns_ = 0;  ///< without those at the end that have no name and no value
  std::size_t blank_lines_ = 0;
  std::size_t long_rows_ = 0;  ///< with separators after the last column
  std::vector<std::string> columns_;
  std::vector<std::string_view> rows_;
  std::size_t bad_row_count_ = 0;
  std::vector<BadRow> bad_rows_;
  std::size_t short_row_count_ = 0;
  std::vector<std::size_t> short_rows_;
};

}  // namespace ba::files
