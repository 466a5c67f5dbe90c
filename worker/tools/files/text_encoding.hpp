// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text of a file as UTF-8, whatever encoding it was written in: UTF-8, UTF-16 of either byte order,
// each with or without a byte order mark, or Windows-1252 (which holds Latin-1's letters) for what
// is none of them. Found from the bytes of the whole file. Own code: it is one table
// of 32 entries, and glibc's iconv needs modules that small images lack. Pure; any thread.

#include <optional>
#include <string>
#include <string_view>

namespace ba::files {

struct DecodedText {
  std::string text;       ///< UTF-8 without a byte order mark
  std::string encoding;   ///< "UTF-16LE", "Windows-1252", …; empty: UTF-8
  bool replaced = false;  ///< what was broken, or a NUL, reads U+FFFD
};

DecodedText decoded_text(std::string bytes);

/// Of a file that holds no text, known by its first bytes: read as text, a workbook would be pages
/// of signs that a model takes for data. What it is, for a sentence: "an Excel workbook (or another
/// zip archive)". None: none of the formats that are known.
std::optional<std::string_view> binary_kind(std::string_view bytes);

}  // namespace ba::files
