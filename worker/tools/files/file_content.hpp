#pragma once
// SPDX-License-Identifier: Apache-2.0
// The content of a file as the JSON of a tool result: the rows, items or lines of a range or an
// even sample of it, within limits; and a note of what is to be said about them.
//
//   csv, jsonl   [{"carrier":"AA","n":1},…]
//   json         of the whole or of the place of a json_path: an array of items; the document; of
//   an
//                object that is too large, or of which a range is asked, the members of the range;
//                of a table that is kept by column and then by row, as pandas does, its rows; of a
//                text that is too large its lines
//   text         {"total_lines":3,"lines":["…",…]}
//
// A part that is too large, too wide or too deep for a result stands as {"not_shown":"an array of 9
// items, 12345 bytes","json_path":"$.a"}, which is how it is read; lines too long are wrapped.
//
// The note says, where it applies: which rows these are of how many, and how to get the others;
// `read_as`: what was found of a file that isn't plain UTF-8 with commas ("Windows-1252, separated
// by ;, 2 blank lines left out"); rows that can't be read as such, by line; rows that lack cells,
// which are null; that something wasn't UTF-8 (it reads U+FFFD). A CSV field that is a plain number
// is one. Pure; any thread.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/base/error.hpp"
#include "worker/tools/base/result_items.hpp"

namespace ba {

enum class FileFormat { Csv, Json, Jsonl, Text };

struct FileContent {
  std::string data;  ///< JSON; empty: it is in the selection's `items`
  std::string note;  ///< one line; empty: there is nothing to say
};

struct FileSelection {
  std::int64_t offset = 0;  ///< of the first row, item or line, from 0
  std::int64_t limit = -1;  ///< of the range; -1: to the end
  std::string json_path;    ///< of a JSON file, the place that is read (json_path.hpp); empty: all
  std::int64_t sample = 0;  ///< evenly spaced ones of the range; 0: all of it
  std::int64_t row_limit = 1000;
  std::int64_t bytes_max = 1024 * 1024;  ///< of the rows as JSON
  /// Where rows and items go, which may be more than can be held; null: all are held.
  ResultItems* items = nullptr;
  std::optional<ItemRange> part;  ///< these items of an array are all that is given of it
  bool in_json = false;  ///< set by file_content(): what is listed stands in JSON, at json_path

  std::int64_t held_bytes_max = kHeldBytesMax;

  /// Of what isn't an array, and of each item of one: it is held.
  std::int64_t value_bytes_max() const { return std::min(bytes_max, held_bytes_max); }
};

/// By the end of the name; text for what isn't known.
FileFormat format_of(std::string_view path);

/// InvalidArgument for a file that isn't what its format says and for a json_path of what isn't
/// JSON, NotFound for a json_path that leads nowhere.
Result<FileContent> file_content(std::string content, FileFormat format,
                                 const FileSelection& selection);

/// The same of JSON that is known to be such.
Result<FileContent> json_data_content(const std::string& json, const FileSelection& selection);

}  // namespace ba
