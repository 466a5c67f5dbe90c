#pragma once
// SPDX-License-Identifier: Apache-2.0
// Comma-separated values (RFC 4180): quotes, doubled quotes, line breaks inside quotes, CRLF or LF,
// a header row; `;` or tabs where the header has those and no comma. Rows are found in one pass and
// split only when asked for, so that a large file costs no more than its index. Pure; any thread.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

class CsvTable {
 public:
  /// A row that can't be read as one: it is not among the rows.
  struct BadRow {
    std::size_t line = 0;  ///< where it starts in the file, from 1
    std::string problem;   ///< "3 fields instead of 19"
  };

  /// `text` outlives the table. Of a header with more than `columns_max` names only their number
  /// is known: no columns, no rows.
  CsvTable(std::string_view text, std::size_t columns_max);

  std::size_t column_count() const { return column_count_; }
  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t row_count() const { return rows_.size(); }
  std::vector<std::string> row(std::size_t index) const;
  std::size_t bad_row_count() const { return bad_row_count_; }
  const std::vector<BadRow>& bad_rows() const { return bad_rows_; }  ///< the first kBadRowsKept

  static constexpr std::size_t kBadRowsKept = 10;

 private:
  struct Record {
    std::string_view text;  ///< without its line end
    std::size_t line = 0;
    std::size_t fields = 0;
    std::string problem;
  };

  Record next_record();
  void take_row(Record record);
  std::vector<std::string> fields_of(std::string_view record) const;

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  char separator_ = ',';
  std::size_t column_count_ = 0;
  std::vector<std::string> columns_;
  std::vector<std::string_view> rows_;
  std::size_t bad_row_count_ = 0;
  std::vector<BadRow> bad_rows_;
};

}  // namespace ba
