// SPDX-License-Identifier: Apache-2.0
// What was written comes back: tables with what people have in cells, in every dialect and
// encoding that programs write, each file made here and read without being told how.
#include <gtest/gtest.h>

#include "worker/tools/files/csv.hpp"
#include "worker/tools/files/text_encoding.hpp"

namespace ba::files {
namespace {

using Fields = std::vector<std::string>;

struct Table {
  Fields header;
  std::vector<Fields> rows;
  Fields columns = header;  ///< as they come back
};

std::vector<Table> tables() {
  Table wide{{}, {{}, {}, {}}};
  for (int i = 0; i < 12; ++i) {
    wide.header.push_back("n" + std::to_string(i));
    for (Fields& row : wide.rows) row.push_back(i % 5 == 3 ? "" : std::to_string(i * 37) + ",5");
  }
  wide.columns = wide.header;
  return {
      {{"Day", "Amount, net", "Place"},
       {{"2024-03-01", "12,50", "Köln"},
        {"2024-03-02", "1.007,00", "Ulm; Donau"},
        {"2024-03-03", "", "a|b"}}},
      {{"id", "note"},
       {{"1", "say \"hi\""},
        {"2", "5\" pipe"},
        {"3", "a, b; c | d\te"},
        {"4", "two\nlines, and \"more\""},
        {"5", " spaced "},
        {"6", ""}}},
      {{"City, State", "People"}, {{"Ulm, BW", "126000"}, {"Bonn, NW", "331000"}}},
      {{"Preis €", "Größe"}, {{"1,50", "“groß”"}, {"2,25", "klein"}, {"", "naïve – so"}}},
      {{"reading"}, {{"3"}, {""}, {"5"}, {""}, {""}, {"8"}}},
      {{"comment"}, {{"Good, but slow"}, {"Bad"}, {"well; well; well"}}},
      {{"a", "", "a"}, {{"1", "2", "3"}, {"", "", ""}, {"4", "5", "6"}}, {"a", "column_2", "a_2"}},
      {{"only", "a", "header"}, {}},
      wide,
  };
}

struct Way {
  char separator;
  const char* line_end;
  bool all_quoted;
  bool trailing;  ///< a separator at the end of each line
  bool names_it;  ///< a first line `sep=…`
  bool ends;      ///< the last line has an end
};

std::string quoted(const std::string& cell, const Way& way) {
  const bool must = cell.find_first_of(std::string("\"\r\n") + way.separator) != cell.npos;
  if (!must && !way.all_quoted) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string line_of(const Fields& cells, const Way& way) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i)
    line += (i > 0 ? std::string(1, way.separator) : "") + quoted(cells[i], way);
  return way.trailing ? line + way.separator : line;
}

std::string written(const Table& table, const Way& way) {
  std::string text = way.names_it ? std::string("sep=") + way.separator + way.line_end : "";
  text += line_of(table.header, way);
  for (const Fields& row : table.rows) text += way.line_end + line_of(row, way);
  return way.ends ? text + way.line_end : text;
}

std::vector<Way> ways() {
  std::vector<Way> all;
  for (const char separator : {',', ';', '\t', '|'})
    for (const char* line_end : {"\n", "\r\n", "\r"})
      for (const bool all_quoted : {false, true})
        for (const bool trailing : {false, true})
          for (const bool names_it : {false, true})
            all.push_back({separator, line_end, all_quoted, trailing, names_it, !names_it});
  return all;
}

/// The test's own code points of well-formed UTF-8, none beyond U+FFFF.
std::vector<unsigned> code_points_of(const std::string& text) {
  std::vector<unsigned> points;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80)
      points.push_back(byte);
    else if (byte >= 0xE0)
      points.push_back(byte & 0x0FU);
    else if (byte >= 0xC0)
      points.push_back(byte & 0x1FU);
    else
      points.back() = points.back() << 6U | (byte & 0x3FU);
  }
  return points;
}

std::string utf16(const std::string& text, bool big_endian) {
  std::string bytes;
  for (const unsigned point : code_points_of(text)) {
    const char high = static_cast<char>(point >> 8U);
    const char low = static_cast<char>(point & 0xFFU);
    bytes += big_endian ? std::string{high, low} : std::string{low, high};
  }
  return bytes;
}

std::string windows_1252(const std::string& text) {
  std::string bytes;
  for (const unsigned point : code_points_of(text))
    bytes += static_cast<char>(point == 0x20AC   ? 0x80
                               : point == 0x201C ? 0x93
                               : point == 0x201D ? 0x94
                               : point == 0x2013 ? 0x96
                                                 : point);
  return bytes;
}

std::vector<std::string> encoded(const std::string& text) {
  const std::string mark = "\xEF\xBB\xBF";
  return {text,
          mark + text,
          utf16(text, false),
          utf16(mark + text, false),
          utf16(text, true),
          utf16(mark + text, true),
          windows_1252(text)};
}

void expect_back(const std::string& bytes, const Table& table) {
  const DecodedText decoded = decoded_text(bytes);
  const CsvTable read(decoded.text, 100);
  ASSERT_EQ(read.columns(), table.columns) << decoded.text;
  ASSERT_EQ(read.row_count(), table.rows.size()) << decoded.text;
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    ASSERT_EQ(read.row(i), table.rows[i]) << decoded.text;
  EXPECT_EQ(read.bad_row_count() + read.short_row_count(), 0u) << decoded.text;
}

TEST(CsvCorpus, WhatWasWrittenComesBackInEveryDialectAndEncoding) {
  std::size_t files = 0;
  for (const Table& table : tables())
    for (const Way& way : ways())
      for (const std::string& bytes : encoded(written(table, way))) {
        ++files;
        expect_back(bytes, table);
        ASSERT_FALSE(HasFatalFailure()) << "file " << files;
      }
  EXPECT_EQ(files, 9u * 96u * 7u);
}

/// Each row of a larger table in turn loses the quote at the end of its text.
TEST(CsvCorpus, AnUnclosedQuoteCostsItsRowAlone) {
  for (const Way& way : ways())
    for (std::size_t spoilt = 0; spoilt < 20; ++spoilt) {
      std::string text = line_of({"id", "note", "n"}, way) + way.line_end;
      for (std::size_t i = 0; i < 20; ++i) {
        const std::string id = std::to_string(i);
        if (i == spoilt)
          text += id + way.separator + "\"5 inch" + way.separator + "1";
        else
          text += line_of({id, i % 3 == 0 ? "a \"b\"" : "ok", "1"}, way);
        text += way.line_end;
      }
      const CsvTable table(text, 100);
      ASSERT_EQ(table.row_count(), 19u) << text;
      ASSERT_EQ(table.bad_row_count(), 1u) << text;
      ASSERT_EQ(table.bad_rows()[0].line, spoilt + 2) << text;
    }
}

}  // namespace
}  // namespace ba::files
