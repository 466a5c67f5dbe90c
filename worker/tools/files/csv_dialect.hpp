#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which dialect CSV text is written in, found by trying: of each separator (comma, semicolon, tab,
// bar), way of quoting and line end that the text could have, the one in which most rows have as
// many fields as the header wins, whatever stands in the header. A first line `sep=;` says so
// itself. Pure; any thread.
//
// Own code, since no library of C++ that Debian has finds dialects. Rows that fit come first, then
// the dialect that leaves least to explain.

#include <cstddef>
#include <string_view>

#include "worker/tools/files/csv_records.hpp"

namespace ba {

/// So much of a text is looked at.
inline constexpr std::size_t kCsvSampleBytes = 1024 * 1024;

struct CsvLayout {
  CsvDialect dialect;
  std::size_t records_before_header = 0;  ///< a title above the table, blank lines included
};

/// `separator`: the one that the text names itself, or '\0'.
CsvLayout find_csv_layout(std::string_view text, char separator);

/// Takes a first line such as `sep=;` away and gives its separator; '\0' where there is none.
char take_separator_line(std::string_view& text);

}  // namespace ba
