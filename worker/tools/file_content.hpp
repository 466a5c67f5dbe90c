#pragma once
// SPDX-License-Identifier: Apache-2.0
// The content of a file as the JSON of a tool result: the rows, items or lines of a range or an
// even sample of it, within limits.
//
//   csv    {"total_rows":3,"rows":[{"carrier":"AA","n":1},…]}
//   json   of the whole or of the place of a json_path; an array: {"total_items":3,"items":[…]};
//   anything else: the document itself; an object that is too large, or of which a range is asked:
//   {"total_members":5000,"members":{"a":1,…}}; a table that is kept by column and then by row, as
//   pandas does: {"total_rows":5000,"read_as":"…","rows":[…]}; a text too large: its lines
//   text   {"total_lines":3,"lines":["…",…]}
//
// A part that is too large, too wide or too deep for a result stands as {"not_shown":"an array of 9
// items, 12345 bytes","json_path":"$.a"}, which is how it is read; lines too long are wrapped.
//
// Before the rows stand, where they apply: "offset"; "sampled": true; "truncated": true with a
// "note"; "read_as": what was found of a file that isn't plain UTF-8 with commas ("Windows-1252,
// separated by ;, 2 blank lines left out"); "bad_rows": {"count", "first": [{"line","problem"}]};
// "short_rows": {"count", "first_lines"}, whose missing cells are null; "invalid_utf8": true (what
// was broken reads U+FFFD). A CSV field that is a plain number is one. Pure; any thread.

#include <cstdint>
#include <string>

#include "pipeline/base/error.hpp"

namespace ba {

enum class FileFormat { Csv, Json, Text };

struct FileSelection {
  std::int64_t offset = 0;  ///< of the first row, item or line, from 0
  std::int64_t limit = -1;  ///< of the range; -1: to the end
  std::string json_path;    ///< of a JSON file, the place that is read (json_path.hpp); empty: all
  std::int64_t sample = 0;  ///< evenly spaced ones of the range; 0: all of it
  std::int64_t row_limit = 1000;
  std::int64_t bytes_max = 1024 * 1024;  ///< of the rows as JSON
  bool in_json = false;  ///< set by file_content(): what is listed stands in JSON, at json_path
};

/// By the end of the name; text for what isn't known.
FileFormat format_of(std::string_view path);

/// InvalidArgument for a JSON file that isn't JSON and for a json_path of another one, NotFound for
/// a json_path that leads nowhere.
Result<std::string> file_content(std::string content, FileFormat format,
                                 const FileSelection& selection);

}  // namespace ba
