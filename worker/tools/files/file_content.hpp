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

#include <string>

#include "pipeline/base/error.hpp"
#include "worker/tools/files/file_selection.hpp"

namespace ba {

enum class FileFormat { Csv, Json, Jsonl, Text };

/// By the end of the name; text for what isn't known.
FileFormat format_of(std::string_view path);

/// InvalidArgument for a file that isn't what its format says and for a json_path of what isn't
/// JSON, NotFound for a json_path that leads nowhere.
Result<FileContent> file_content(std::string content, FileFormat format,
                                 const FileSelection& selection);

/// The same of JSON that is known to be such.
Result<FileContent> json_data_content(const std::string& json, const FileSelection& selection);

}  // namespace ba
