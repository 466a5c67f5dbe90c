// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/text_encoding.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "pipeline/core/tool/repair_utf8.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba::files {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

/// 0x80 to 0x9F, as the WHATWG's Encoding Standard has them.
constexpr std::array<char16_t, 32> kWindows1252 = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

std::uint8_t byte(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]);
}

/// The units of UTF-16 text; half of one at the end is a broken character.
class Utf16 {
 public:
  Utf16(std::string_view bytes, bool big_endian) : bytes_(bytes), low_(big_endian ? 1 : 0) {}

  DecodedText decoded() {
    DecodedText result;
    result.encoding = low_ == 1 ? "UTF-16BE" : "UTF-16LE";
    while (at_ < bytes_.size()) {
      char32_t c = next();
      if (c == 0 || c == kReplacement) result.replaced = result.replaced || !whole_ || c == 0;
      append_code_point(result.text, c == 0 ? kReplacement : c);
    }
    return result;
  }

 private:
  char32_t unit() const {
    return static_cast<char32_t>(byte(bytes_, at_ + 1 - low_) << 8 | byte(bytes_, at_ + low_));
  }

  char32_t next() {
    whole_ = at_ + 2 <= bytes_.size();
    const char32_t first = whole_ ? unit() : kReplacement;
    at_ += 2;
    if (first < 0xD800 || first > 0xDFFF) return first;
    const char32_t second = at_ + 2 <= bytes_.size() ? unit() : 0;
    whole_ = first < 0xDC00 && second >= 0xDC00 && second <= 0xDFFF;
    if (!whole_) return kReplacement;
    at_ += 2;
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  std::string_view bytes_;
  std::size_t low_;  ///< where in a unit its low byte is
  std::size_t at_ = 0;
  bool whole_ = true;
};

/// Of text in English or Chinese alike, separators, digits and line ends are ASCII: units with one
/// byte of zero, always the same one.
std::size_t ascii_units(std::string_view bytes, bool big_endian) {
  const std::size_t low = big_endian ? 1 : 0;
  std::size_t count = 0;
  for (std::size_t at = 0; at + 2 <= bytes.size(); at += 2) {
    const std::uint8_t c = byte(bytes, at + low);
    const bool text = (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\r' || c == '\t';
    if (text && byte(bytes, at + 1 - low) == 0) ++count;
  }
  return count;
}

/// Without a mark: text without a NUL is not UTF-16, nor is what has one now and then.
bool is_utf16(std::string_view bytes, bool big_endian) {
  if (bytes.size() % 2 != 0 || bytes.find('\0') == std::string_view::npos) return false;
  const std::size_t found = ascii_units(bytes, big_endian);
  if (found * 50 < bytes.size() / 2 || found <= 2 * ascii_units(bytes, !big_endian)) return false;
  return !Utf16(bytes, big_endian).decoded().replaced;
}

DecodedText windows_1252(std::string_view bytes) {
  DecodedText result;
  result.encoding = "Windows-1252";
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const std::uint8_t c = byte(bytes, at);
    result.replaced = result.replaced || c == 0;
    append_code_point(result.text, c == 0                  ? kReplacement
                                   : c >= 0x80 && c < 0xA0 ? kWindows1252[c - 0x80U]
                                                           : c);
  }
  return result;
}

/// UTF-8 of which a piece is broken has more whole characters beyond ASCII than broken bytes; in
/// other encodings bytes that happen to be one are rare.
bool is_damaged_utf8(std::string_view bytes) {
  std::size_t broken = 0;
  std::size_t whole = 0;
  const auto count = [&](std::string_view sound) {
    for (const char c : sound) whole += (static_cast<std::uint8_t>(c) & 0xC0) == 0xC0 ? 1 : 0;
  };
  for (auto defect = utf8_defect(bytes); defect; defect = utf8_defect(bytes)) {
    count(bytes.substr(0, *defect));
    broken += bytes[*defect] == '\0' ? 0 : 1;
    bytes.remove_prefix(*defect + 1);
  }
  count(bytes);
  return whole >= broken;
}

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

DecodedText decoded_text(std::string bytes) {
  const std::string_view view = bytes;
  if (view.starts_with("\xFF\xFE")) return Utf16(view.substr(2), false).decoded();
  if (view.starts_with("\xFE\xFF")) return Utf16(view.substr(2), true).decoded();
  if (is_utf16(view, false)) return Utf16(view, false).decoded();
  if (is_utf16(view, true)) return Utf16(view, true).decoded();
  const bool marked = view.starts_with("\xEF\xBB\xBF");
  if (!marked && !is_damaged_utf8(view)) return windows_1252(view);
  DecodedText result;
  if (marked) bytes.erase(0, 3);
  result.replaced = repair_utf8(bytes);
  result.text = std::move(bytes);
  return result;
}

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

}  // namespace ba::files
