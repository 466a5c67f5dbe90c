// SPDX-License-Identifier: Apache-2.0
// CsvRecords and csv_fields() of csv.hpp. A quote that isn't closed, or is followed by other text,
// spoils the line that it is in; the next record begins with the next line. A quote that is closed
// only by a later stray one is known by the lines it has swallowed: they are rows of the expected
// width.

#include <algorithm>

#include "worker/tools/files/csv.hpp"

namespace ba::files {
namespace {

/// So many separators in swallowed lines are no accident of text in a cell.
constexpr std::size_t kSwallowedSeparators = 4;

constexpr std::size_t kNone = std::string_view::npos;

bool ends_line(std::string_view text, std::size_t at, const CsvDialect& dialect) {
  if (at >= text.size() || text[at] == '\n') return true;
  return text[at] == '\r' &&
         (dialect.carriage_return || at + 1 == text.size() || text[at + 1] == '\n');
}

std::size_t past_line_end(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] == '\r') ++at;
  if (at < text.size() && text[at] == '\n') return at + 1;
  return std::min(at, text.size());
}

/// One field at the start of a text that may have more, and more lines.
struct Field {
  std::string_view content;  ///< without the quotes around it; what is escaped in it still is
  bool quoted = false;
  std::size_t end = 0;  ///< of its separator or line end
  CsvRecord::Problem problem = CsvRecord::Problem::None;
};

/// The place of the quote that closes what begins at `at`.
std::size_t closing_quote(std::string_view text, std::size_t at, const CsvDialect& dialect) {
  for (; at < text.size(); ++at) {
    if (dialect.backslash && text[at] == '\\') {
      ++at;
    } else if (text[at] == dialect.quote) {
      if (at + 1 == text.size() || text[at + 1] != dialect.quote) return at;
      ++at;
    }
  }
  return kNone;
}

Field quoted_field(std::string_view text, std::size_t open, const CsvDialect& dialect) {
  Field field;
  field.quoted = true;
  const std::size_t close = closing_quote(text, open + 1, dialect);
  if (close == kNone) {
    field.problem = CsvRecord::Problem::QuoteNotClosed;
    return field;
  }
  field.content = text.substr(open + 1, close - open - 1);
  field.end = close + 1;
  while (field.end < text.size() && text[field.end] == ' ') ++field.end;
  const bool ended = ends_line(text, field.end, dialect) || text[field.end] == dialect.separator;
  if (!ended) field.problem = CsvRecord::Problem::TextAfterQuote;
  return field;
}

Field field_at(std::string_view text, std::size_t at, bool first, const CsvDialect& dialect) {
  std::size_t begin = at;
  while (dialect.spaced && !first && begin < text.size() && text[begin] == ' ') ++begin;
  if (dialect.quote != '\0' && begin < text.size() && text[begin] == dialect.quote)
    return quoted_field(text, begin, dialect);
  Field field;
  field.end = begin;
  while (!ends_line(text, field.end, dialect) && text[field.end] != dialect.separator) ++field.end;
  field.content = text.substr(begin, field.end - begin);
  return field;
}

std::string unescaped(std::string_view content, const CsvDialect& dialect) {
  std::string text;
  for (std::size_t i = 0; i < content.size(); ++i) {
    const bool more = i + 1 < content.size();
    const bool twice = content[i] == dialect.quote && more;
    const bool escaped = dialect.backslash && content[i] == '\\' && more &&
                         (content[i + 1] == dialect.quote || content[i + 1] == '\\');
    if (twice || escaped) ++i;
    text += content[i];
  }
  return text;
}

}  // namespace

std::size_t csv_line_size(std::string_view text, const CsvDialect& dialect) {
  std::size_t at = 0;
  while (!ends_line(text, at, dialect)) ++at;
  return at;
}

/// Ends where the record does, or, of one with a problem, where its first line does.
CsvRecord CsvRecords::record_at(std::string_view text) const {
  CsvRecord record;
  std::size_t at = 0;
  while (!ends_line(text, 0, dialect_)) {
    const Field field = field_at(text, at, record.fields == 0, dialect_);
    if (field.problem != CsvRecord::Problem::None) {
      record.problem = field.problem;
      at = csv_line_size(text, dialect_);
      break;
    }
    if (record.fields > 0 && at < text.size() && text[at] == ' ') ++record.padded;
    if (!field.quoted && field.content.find('"') != kNone) ++record.strays;
    if (!field.quoted && field.content.find('\r') != kNone) ++record.returns;
    record.quoted = record.quoted || field.quoted;
    ++record.fields;
    if (!field.content.empty()) record.extent = record.fields;
    at = field.end;
    if (ends_line(text, at, dialect_)) break;
    ++at;  // the separator
  }
  record.text = text.substr(0, at);
  return record;
}

bool CsvRecords::is_row(std::string_view line) const {
  const CsvRecord record = record_at(line);
  return record.fields == width_ && record.text.size() == line.size();
}

bool CsvRecords::has_swallowed_rows(const CsvRecord& record) const {
  std::string_view rest = record.text;
  std::size_t lines = 0;
  for (std::size_t size = csv_line_size(rest, dialect_); size < rest.size();
       size = csv_line_size(rest, dialect_)) {
    if (lines > 0 && !is_row(rest.substr(0, size))) return false;
    ++lines;
    rest.remove_prefix(past_line_end(rest, size));
  }
  if (lines == 0) return false;
  if (record.fields != width_) return is_row(rest);
  return (lines - 1) * (width_ - 1) >= kSwallowedSeparators;
}

bool CsvRecords::next(CsvRecord& record) {
  if (at_ >= text_.size()) return false;
  const std::string_view rest = text_.substr(at_);
  record = record_at(rest);
  if (width_ > 1 && record.problem == CsvRecord::Problem::None && has_swallowed_rows(record)) {
    record.text = rest.substr(0, csv_line_size(rest, dialect_));
    record.problem = CsvRecord::Problem::QuoteNotClosed;
  }
  record.line = line_;
  const std::size_t taken = past_line_end(rest, record.text.size());
  for (std::size_t i = 0; i < taken; ++i)
    if (rest[i] == '\n' ||
        (dialect_.carriage_return && rest[i] == '\r' && (i + 1 == taken || rest[i + 1] != '\n')))
      ++line_;
  at_ += taken;
  return true;
}

std::vector<std::string> csv_fields(std::string_view record, const CsvDialect& dialect) {
  std::vector<std::string> fields;
  for (std::size_t at = 0;; ++at) {
    const Field field = field_at(record, at, fields.empty(), dialect);
    fields.push_back(field.quoted ? unescaped(field.content, dialect) : std::string(field.content));
    at = field.end;
    if (at >= record.size()) return fields;
  }
}

}  // namespace ba::files
