// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/binary_file.hpp"

#include <algorithm>
#include <array>

namespace ba {
namespace {

using std::string_view_literals::operator""sv;

struct Row {
  std::string_view begins;
  std::string_view kind;
};

// The first bytes are those of each format's own specification.
constexpr std::array kRows = std::to_array<Row>({
    {"PK\x03\x04"sv, "an Excel workbook (or another zip archive)"},
    {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "an old Excel workbook (or another Office document)"},
    {"PAR1"sv, "a Parquet file"},
    {"PARE"sv, "an encrypted Parquet file"},
    {"ARROW1"sv, "an Arrow (Feather) file"},
    {"FEA1"sv, "a Feather file"},
    {"Obj\x01"sv, "an Avro file"},
    {"ORC"sv, "an ORC file"},
    {"SQLite format 3\0"sv, "a SQLite database"},
    {"\x89HDF\r\n\x1A\n"sv, "an HDF5 file"},
    {"%PDF-"sv, "a PDF document"},
    {"\x89PNG\r\n\x1A\n"sv, "a PNG picture"},
    {"\xFF\xD8\xFF"sv, "a JPEG picture"},
    {"GIF8"sv, "a GIF picture"},
    {"\x1F\x8B"sv, "a gzip archive"},
    {"BZh"sv, "a bzip2 archive"},
    {"\xFD"
     "7zXZ\0"sv,
     "an xz archive"},
    {"\x28\xB5\x2F\xFD"sv, "a zstd archive"},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7z archive"},
});

/// A text may begin with the letters of a short mark, but has no NUL behind them, nor the mark
/// again at its end, as Parquet and Arrow have it.
constexpr std::size_t kLooked = 4096;

bool is_text_mark(std::string_view mark) {
  return std::ranges::all_of(mark, [](char c) { return c >= 0x20 && c < 0x7F; });
}

}  // namespace

std::optional<std::string_view> binary_kind(std::string_view bytes) {
  for (const Row& row : kRows) {
    if (!bytes.starts_with(row.begins)) continue;
    const bool certain = !is_text_mark(row.begins) || row.begins == "%PDF-";
    const bool ends_likewise = bytes.size() > row.begins.size() && bytes.ends_with(row.begins);
    if (certain || ends_likewise || bytes.substr(0, kLooked).find('\0') != bytes.npos)
      return row.kind;
  }
  return std::nullopt;
}

}  // namespace ba
