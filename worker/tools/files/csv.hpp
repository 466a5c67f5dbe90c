#pragma once
// SPDX-License-Identifier: Apache-2.0
// A table in CSV text as people have it (RFC 4180 and its dialects, csv_dialect.hpp): a header row,
// then rows. What only looks different is the same: separators at the ends of lines, cells that a
// row lacks at its end, blank lines, row names of which the header says nothing (R). Rows are found
// in one pass and split only when asked for, so that a large file costs no more than its index.
// Pure; any thread.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "worker/tools/files/csv_records.hpp"

namespace ba {

class CsvTable {
 public:
  /// A row that can't be read as one: it is not among the rows.
  struct BadRow {
    std::size_t line = 0;  ///< where it starts in the file, from 1
    std::string problem;   ///< "3 fields instead of 2"
  };

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

}  // namespace ba
