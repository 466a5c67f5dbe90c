// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/csv.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ba::files {
namespace {

/// Of rows with names: one that is written in another way costs itself alone.
constexpr std::size_t kNamedRowsForAnOther = 9;
constexpr std::size_t kOtherRowsMax = 10;  ///< before such rows are seen
constexpr std::size_t kNamesCompared = 1'000;

/// Names as keys of one object: an empty name is `column_<n>`, a second `x` is `x_2`.
std::vector<std::string> distinct(std::vector<std::string> names) {
  std::map<std::string, int> used;  // and the number to try next
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) names[i] = "column_" + std::to_string(i + 1);
    const std::string base = names[i];
    while (!used.try_emplace(names[i], 2).second)
      names[i] = base + "_" + std::to_string(used[base]++);
  }
  return names;
}

std::string separator_name(char separator) {
  if (separator == '\t') return "tabs";
  return std::string(1, separator);
}

}  // namespace

CsvTable::CsvTable(std::string_view text, std::size_t columns_max) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const char named = take_separator_line(text);
  lines_before_ = named == '\0' ? 0 : 1;
  const CsvLayout layout = find_csv_layout(text, named);
  dialect_ = layout.dialect;
  CsvRecords records(text, dialect_);
  CsvRecord record;
  for (std::size_t i = 0; i < layout.records_before_header && records.next(record); ++i)
    title_lines_ += record.fields > 0 ? 1 : 0;
  while (column_count_ == 0 && records.next(record))
    if (record.fields > 0 || record.problem != CsvRecord::Problem::None)
      read_header(record, columns_max);
  if (column_count_ <= columns_max && has_row_names(records)) add_row_names();
  if (column_count_ > columns_max) {
    columns_.clear();
    return;
  }
  records.expect(column_count_);
  while (records.next(record)) take(record);
  name_columns();
}

/// A quote that isn't closed is part of a name: without a header there is no table.
void CsvTable::read_header(const CsvRecord& record, std::size_t columns_max) {
  CsvDialect dialect = dialect_;
  if (record.problem != CsvRecord::Problem::None) dialect.quote = '\0';
  std::vector<std::string> names = csv_fields(record.text, dialect);
  column_count_ = names.size();
  filled_columns_ = column_count_;
  while (filled_columns_ > 1 && names[filled_columns_ - 1].empty()) --filled_columns_;
  if (column_count_ <= columns_max) columns_ = std::move(names);
}

/// R writes the names of rows before the first column, and nothing above them: rows have one field
/// more than the header, the first one quoted, and mostly the last filled. Without quotes a comma
/// within a number would look the same, and each value would stand in another column: such rows
/// have a field too many. Names are of one row each. Looks no further than the first row that has
/// as many fields as the header, and not far where others fit neither.
bool CsvTable::has_row_names(CsvRecords records) const {
  if (column_count_ == 0) return false;
  const std::size_t width = column_count_ + 1;
  records.expect(width);
  std::size_t named = 0;
  std::size_t filled = 0;
  std::size_t others = 0;
  std::set<std::string> names;
  for (CsvRecord record; records.next(record);) {
    if (record.fields == 0 && record.problem == CsvRecord::Problem::None) continue;
    const bool sound = record.problem == CsvRecord::Problem::None;
    if (sound && record.fields == column_count_) return false;
    if (!sound || record.fields != width) {
      if (++others > kOtherRowsMax + named / kNamedRowsForAnOther) return false;
      continue;
    }
    std::string name = csv_fields(record.text, dialect_).front();
    const bool quoted = dialect_.quote != '\0' && record.text.starts_with(dialect_.quote);
    const bool another = names.size() >= kNamesCompared || names.insert(name).second;
    if (!quoted || name.empty() || !another) return false;
    ++named;
    filled += record.extent == width ? 1 : 0;
  }
  return filled * 2 > named && named >= others * kNamedRowsForAnOther;
}

void CsvTable::add_row_names() {
  row_names_ = true;
  ++column_count_;
  ++filled_columns_;
  columns_.insert(columns_.begin(), "");
}

/// Spaces after the last column are no more than separators.
bool CsvTable::surplus_is_blank(const CsvRecord& record) const {
  const std::vector<std::string> fields = csv_fields(record.text, dialect_);
  return std::all_of(fields.begin() + static_cast<std::ptrdiff_t>(column_count_), fields.end(),
                     [](const std::string& field) {
                       return field.find_first_not_of(" \t\r\n") == std::string::npos;
                     });
}

void CsvTable::take(const CsvRecord& record) {
  const bool sound = record.problem == CsvRecord::Problem::None;
  if (!sound || (record.extent > column_count_ && !surplus_is_blank(record))) {
    take_bad_row(record);
    return;
  }
  if (record.fields == 0 && column_count_ > 1) {
    ++blank_lines_;
    return;
  }
  if (record.fields > column_count_) ++long_rows_;
  if (record.fields > 0 && record.fields < filled_columns_ && ++short_row_count_ <= kBadRowsKept)
    short_rows_.push_back(record.line + lines_before_);
  filled_columns_ = std::max(filled_columns_, std::min(record.extent, column_count_));
  rows_.push_back(record.text);
}

void CsvTable::take_bad_row(const CsvRecord& record) {
  if (++bad_row_count_ > kBadRowsKept) return;
  std::string problem =
      std::to_string(record.fields) + " fields instead of " + std::to_string(column_count_);
  if (record.problem == CsvRecord::Problem::QuoteNotClosed) problem = "a quote is not closed";
  if (record.problem == CsvRecord::Problem::TextAfterQuote) problem = "text after a closing quote";
  bad_rows_.push_back({record.line + lines_before_, std::move(problem)});
}

void CsvTable::name_columns() {
  columns_.resize(std::min(filled_columns_, columns_.size()));
  columns_ = distinct(std::move(columns_));
}

std::vector<std::string> CsvTable::row(std::size_t index) const {
  std::vector<std::string> fields = csv_fields(rows_[index], dialect_);
  fields.resize(std::min(fields.size(), columns_.size()));
  return fields;
}

std::vector<std::string> CsvTable::assumed() const {
  std::vector<std::string> texts;
  if (column_count_ > 1 && dialect_.separator != ',')
    texts.push_back("separated by " + separator_name(dialect_.separator));
  if (dialect_.quote != '"')
    texts.push_back(dialect_.quote == '\0' ? "quotes are text" : "quoted by '");
  if (dialect_.backslash) texts.emplace_back("\\\" is a quote");
  if (dialect_.spaced) texts.emplace_back("spaces after separators left out");
  if (row_names_)
    texts.emplace_back("the header has no name for the first column, which has the rows' names");
  if (title_lines_ > 0)
    texts.push_back(counted(title_lines_, "line") + " above the header left out");
  if (blank_lines_ > 0) texts.push_back(counted(blank_lines_, "blank line") + " left out");
  if (long_rows_ > 0)
    texts.push_back("empty cells after the last column left out in " + counted(long_rows_, "row"));
  if (columns_.size() < column_count_)
    texts.push_back(counted(column_count_ - columns_.size(), "column") +
                    " at the end without name or value left out");
  return texts;
}

}  // namespace ba::files
