// SPDX-License-Identifier: Apache-2.0
// find_csv_layout() and take_separator_line() of csv.hpp: which dialect CSV text is written
// in, found by trying: of each separator (comma, semicolon, tab, bar), way of quoting and line end
// that the text could have, the one in which most rows have as many fields as the header wins,
// whatever stands in the header. Rows that fit come first, then the dialect that leaves least to
// explain. Own code, since no library of C++ that Debian has finds dialects.

#include <algorithm>
#include <array>
#include <map>

#include "worker/tools/files/csv.hpp"

namespace ba::files {
namespace {

/// Where rows fit as well in several dialects: a tab is never text, a comma often is.
struct Separator {
  char character;
  double doubt;
};
constexpr std::array<Separator, 4> kSeparators = {
    {{'\t', 0}, {'|', 0.005}, {';', 0.01}, {',', 0.015}}};

constexpr double kDoubtOfUnusual = 0.004;  ///< line ends, spaces, backslashes: only if they help
constexpr double kDoubtOfNoQuotes = 0.05;  ///< one quote in twenty rows that isn't closed is a slip

// What a record is worth by how it fits.
constexpr double kWithStrayQuotes = 0.9;
constexpr double kWithReturns = 0.1;  ///< they end lines, all but always
constexpr double kShort = 0.75;
constexpr double kLong = 0.55;
constexpr double kTitle = 0.25;
constexpr double kOneColumn = 0.5;  ///< of a text in which no separator separates anything

constexpr std::size_t kTitleRecordsMax = 20;

std::vector<CsvRecord> records_of(std::string_view text, const CsvDialect& dialect) {
  std::vector<CsvRecord> records;
  CsvRecords reader(text, dialect);
  for (CsvRecord record; reader.next(record);) {
    if (records.empty() || records.front().fields == 0) reader.expect(record.fields);
    records.push_back(record);
  }
  return records;
}

/// How many fields most records have.
std::size_t usual_fields(const std::vector<CsvRecord>& records) {
  std::map<std::size_t, std::size_t> counts;
  for (const CsvRecord& record : records)
    if (record.fields > 0) ++counts[record.fields];
  std::size_t usual = 0;
  for (const auto& [fields, count] : counts)
    if (usual == 0 || count >= counts[usual]) usual = fields;
  return usual;
}

std::size_t first_filled(const std::vector<CsvRecord>& records) {
  std::size_t at = 0;
  while (at < records.size() && records[at].extent == 0) ++at;
  return at;
}

/// Past a title above the table: lines that fill fewer fields than the header, and a blank one
/// before it, or single fields above a header of three or more.
std::size_t header_of(const std::vector<CsvRecord>& records) {
  const std::size_t first = first_filled(records);
  const std::size_t usual = usual_fields(records);
  bool blank = false;
  bool single = true;
  for (std::size_t at = first; at < std::min(records.size(), first + kTitleRecordsMax); ++at) {
    const CsvRecord& record = records[at];
    const bool titled = at > first && usual > 1 && (blank || (single && usual > 2));
    if (record.extent >= usual) return titled && record.extent == usual ? at : first;
    blank = record.extent == 0;
    single = single && record.extent <= 1;
  }
  return first;
}

double worth(const CsvRecord& record, const CsvRecord& header) {
  if (record.problem != CsvRecord::Problem::None) return 0;
  if (record.fields > header.fields && record.extent > header.extent) return kLong;
  if (record.fields < header.extent) return record.fields > 1 ? kShort : 0;
  if (record.returns > 0) return kWithReturns;
  return record.strays > 0 ? kWithStrayQuotes : 1;
}

struct Fit {
  double score = 0;
  std::size_t header = 0;
  bool padded = false;  ///< a space follows each separator
  bool quoted = false;  ///< there are quotes that open and close
};

Fit fit_of(const std::vector<CsvRecord>& records) {
  Fit fit;
  fit.header = header_of(records);
  if (fit.header >= records.size()) return fit;
  const CsvRecord& header = records[fit.header];
  std::size_t count = 0;
  fit.padded = header.extent > 1;
  for (std::size_t at = fit.header; at < records.size(); ++at) {
    const bool sound = records[at].problem == CsvRecord::Problem::None;
    if (records[at].fields == 0 && sound) continue;
    ++count;
    fit.score += worth(records[at], header);
    fit.quoted = fit.quoted || records[at].quoted;
    fit.padded = fit.padded && records[at].padded + 1 >= records[at].fields;
  }
  const std::size_t titles = fit.header - first_filled(records);
  fit.score += kTitle * static_cast<double>(titles);
  fit.score /= static_cast<double>(count + titles);
  if (titles > 0 && fit.padded) fit.score = 0;  // a heading above lines of text
  if (header.fields < 2) fit.score *= kOneColumn;
  return fit;
}

bool has_lone_carriage_return(std::string_view text) {
  for (std::size_t at = text.find('\r'); at != text.npos; at = text.find('\r', at + 1))
    if (at + 1 < text.size() && text[at + 1] != '\n') return true;
  return false;
}

/// Two ways from each dialect: as it is, and with one thing more.
void add_with(std::vector<CsvDialect>& dialects, bool wanted, void (*change)(CsvDialect&)) {
  const std::size_t count = wanted ? dialects.size() : 0;
  for (std::size_t i = 0; i < count; ++i) {
    CsvDialect changed = dialects[i];
    change(changed);
    dialects.push_back(changed);
  }
}

/// Those that the text has marks of.
std::vector<CsvDialect> candidates(std::string_view text, char separator) {
  const auto has = [&](std::string_view part) { return text.find(part) != text.npos; };
  std::vector<CsvDialect> dialects;
  for (const Separator& each : kSeparators) {
    if (separator != '\0' && separator != each.character) continue;
    dialects.push_back({.separator = each.character});
  }
  if (dialects.empty()) dialects.push_back({.separator = separator});
  add_with(dialects, text.starts_with('\''), [](CsvDialect& one) { one.quote = '\''; });
  add_with(dialects, has("\\\""), [](CsvDialect& one) { one.backslash = true; });
  add_with(dialects, has(" \""), [](CsvDialect& one) { one.spaced = true; });
  add_with(dialects, has("\""), [](CsvDialect& one) {
    one.quote = '\0';
    one.backslash = false;
    one.spaced = false;
  });
  add_with(dialects, has_lone_carriage_return(text),
           [](CsvDialect& one) { one.carriage_return = true; });
  return dialects;
}

double doubt(const CsvDialect& dialect) {
  double sum = dialect.quote == '\0' ? kDoubtOfNoQuotes : 0;
  for (const bool unusual : {dialect.backslash, dialect.spaced, dialect.carriage_return})
    sum += unusual ? kDoubtOfUnusual : 0;
  for (const Separator& each : kSeparators)
    if (each.character == dialect.separator) sum += each.doubt;
  return dialect.quote == '\'' ? sum - 2 * kDoubtOfUnusual : sum;
}

/// Whole lines of the start of the text.
std::string_view sample_of(std::string_view text) {
  if (text.size() <= kCsvSampleBytes) return text;
  const std::string_view start = text.substr(0, kCsvSampleBytes);
  return start.substr(0, std::min(start.find_last_of("\r\n"), start.size()));
}

/// A quote, what escapes one, and what values are made of separate nothing.
bool may_separate(char c) {
  const bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return !word && c != '"' && c != '\'' && c != '\\' && c != '\0' && c != '.' && c != '-';
}

}  // namespace

CsvLayout find_csv_layout(std::string_view text, char separator) {
  const std::string_view sample = sample_of(text);
  CsvLayout best;
  double best_score = -1;
  std::string quoting;  // the separators between which quotes close: they are no text
  for (const CsvDialect& dialect : candidates(sample, separator)) {
    if (dialect.quote == '\0' && quoting.find(dialect.separator) != quoting.npos) continue;
    const Fit fit = fit_of(records_of(sample, dialect));
    if (fit.quoted) quoting += dialect.separator;
    const double score = fit.score - doubt(dialect);
    if (score <= best_score) continue;
    best_score = score;
    best.dialect = dialect;
    best.dialect.spaced = dialect.spaced || fit.padded;
    best.records_before_header = fit.header;
  }
  return best;
}

char take_separator_line(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_of("\r\n"), text.size());
  std::string_view line = text.substr(0, size);
  if (line.size() == 7 && line.front() == '"' && line.back() == '"') line = line.substr(1, 5);
  if (line.size() != 5 || (!line.starts_with("sep=") && !line.starts_with("SEP="))) return '\0';
  if (!may_separate(line[4])) return '\0';
  text.remove_prefix(size);
  if (text.starts_with('\r')) text.remove_prefix(1);
  if (text.starts_with('\n')) text.remove_prefix(1);
  return line[4];
}

}  // namespace ba::files
