// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/csv.hpp"

#include <algorithm>
#include <map>

namespace ba {
namespace {

char separator_of(std::string_view header) {
  if (header.find(',') != std::string_view::npos) return ',';
  if (header.find(';') != std::string_view::npos) return ';';
  return header.find('\t') != std::string_view::npos ? '\t' : ',';
}

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

}  // namespace

CsvTable::CsvTable(std::string_view text, std::size_t columns_max) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  separator_ = separator_of(text_.substr(0, text_.find('\n')));
  while (at_ < text_.size()) {
    Record record = next_record();
    if (record.text.empty() && record.problem.empty()) continue;
    if (column_count_ > 0 || !record.problem.empty()) {
      take_row(std::move(record));
      continue;
    }
    column_count_ = record.fields;
    if (column_count_ > columns_max) return;
    columns_ = distinct(fields_of(record.text));
  }
}

void CsvTable::take_row(Record record) {
  if (record.problem.empty() && record.fields == column_count_) {
    rows_.push_back(record.text);
    return;
  }
  if (++bad_row_count_ > kBadRowsKept) return;
  if (record.problem.empty())
    record.problem =
        std::to_string(record.fields) + " fields instead of " + std::to_string(column_count_);
  bad_rows_.push_back({record.line, std::move(record.problem)});
}

/// Moves over one record and its line end.
CsvTable::Record CsvTable::next_record() {
  Record record;
  record.line = line_;
  record.fields = 1;
  const std::size_t start = at_;
  bool quoted = false;
  bool field_starts = true;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') ++line_;
    if (quoted) {
      if (c != '"') continue;
      const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\n';
      if (next == '"') {
        ++at_;
      } else {
        quoted = false;
        if (next != separator_ && next != '\n' && next != '\r')
          record.problem = "text after a closing quote";
      }
      continue;
    }
    if (c == '\n') break;
    if (c == '"' && field_starts) quoted = true;
    if (c == separator_) ++record.fields;
    field_starts = c == separator_;
  }
  record.text = text_.substr(start, at_ - start);
  if (record.text.ends_with('\r')) record.text.remove_suffix(1);
  if (quoted) record.problem = "a quote is not closed";
  ++at_;
  return record;
}

std::vector<std::string> CsvTable::fields_of(std::string_view record) const {
  std::vector<std::string> fields(1);
  bool quoted = false;
  bool field_starts = true;
  for (std::size_t i = 0; i < record.size(); ++i) {
    const char c = record[i];
    if (quoted && c == '"') {
      quoted = i + 1 < record.size() && record[i + 1] == '"';
      if (quoted) fields.back() += record[++i];
    } else if (!quoted && c == '"' && field_starts) {
      quoted = true;
    } else if (!quoted && c == separator_) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
    field_starts = !quoted && c == separator_;
  }
  return fields;
}

std::vector<std::string> CsvTable::row(std::size_t index) const { return fields_of(rows_[index]); }

}  // namespace ba
