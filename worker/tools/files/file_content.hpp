// SPDX-License-Identifier: Apache-2.0
#pragma once
// The content of a file as the JSON of a tool result: the rows, items or lines of a range or an
// even sample of it, within limits; and a note of what is to be said about them.
//
//   csv, jsonl   [{"carrier":"AA","n":1},…]
//   json         of the whole or of the place of a json_path: an array of items; the document; of
//                an object that is too large, or of which a range is asked, the members of the
//                range; of a table that is kept by column and then by row, as pandas does, its
//                rows; of a text that is too large its lines
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
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/tools/base/result_items.hpp"

namespace ba::files {

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
  tools::ResultItems* items = nullptr;
  std::optional<ItemRange> part;  ///< these items of an array are all that is given of it
  bool in_json = false;  ///< set by file_content(): what is listed stands in JSON, at json_path

  std::int64_t held_bytes_max = kHeldBytesMax;

  /// Of what isn't an array, and of each item of one: it is held.
  std::int64_t value_bytes_max() const { return std::min(bytes_max, held_bytes_max); }
};

/// A row that can't be read as one: it is not among the rows.
struct BadRow {
  std::size_t line = 0;  ///< where it starts in the file, from 1
  std::string problem;   ///< "3 fields instead of 2"
};

/// What is said about the data of a file: sentences, in one line.
class ContentNote {
 public:
  void add(const std::string& sentence) { text_ += (text_.empty() ? "" : " ") + sentence; }

  /// What was found of how a file is written.
  void assume(const std::string& what) { read_as_ += (read_as_.empty() ? "" : ", ") + what; }

  /// Of `count` rows that can't be read as such, the first.
  void add_bad_rows(std::size_t count, const std::vector<BadRow>& first);

  const std::string& sentences() const { return text_; }
  const std::string& read_as() const { return read_as_; }
  std::string text() const;

 private:
  std::string text_;
  std::string read_as_;
};

/// "1 row", "2 rows".
std::string counted(std::size_t count, const std::string& what);

/// Which of `total` things a selection takes.
struct ChosenItems {
  std::vector<std::int64_t> indices;
  std::int64_t wanted = 0;  ///< before the row limit
  std::string cut_by;       ///< the limit, and how much it is, where not all of them are given
};

ChosenItems chosen_items(std::int64_t total, const FileSelection& selection);

/// Which `count` of how many there are, and how to get the others; nothing where they are all.
void add_range(ContentNote& note, std::int64_t count, const ChosenItems& chosen, std::int64_t total,
               const FileSelection& selection, const std::string& what);

/// The chosen rows, items or lines of a file as a JSON array, within the bytes of one result.
struct ListedItems {
  std::string json;  ///< an array; empty where the selection has `items`, which are in them
  std::int64_t count = 0;
  ChosenItems chosen;
  std::int64_t left_out = 0;  ///< parts that a result has no room for
};

/// `at` gives each, in their order. An item that is larger than a result stands with what there is
/// room for (LargeJson), so that there is always one where one is asked for.
ListedItems listed_items(std::int64_t total, const FileSelection& selection,
                         const std::function<nlohmann::ordered_json(std::int64_t)>& at);

/// The json_path of what is listed; empty where none can name its items.
std::string path_of_items(const FileSelection& selection);

/// What is said of parts that are left out; nothing of none.
void add_left_out(ContentNote& note, std::int64_t count, const FileSelection& selection);

/// What is said of lines stands with them: they are one object. Lines of which one is larger than
/// a result are wrapped, so that offset and limit reach all.
FileContent lines_content(const std::string& text, const ContentNote& note,
                          const FileSelection& selection);

/// Of a JSON file, or of one with a value on each line. `selection.in_json` is set; `note` is what
/// is known of the file already.
Result<FileContent> json_content(const std::string& content, ContentNote note,
                                 const FileSelection& selection);

/// Blank lines are none, and a line that can't be read costs itself alone.
Result<FileContent> jsonl_content(std::string_view content, ContentNote note,
                                  const FileSelection& selection);

enum class FileFormat { Csv, Json, Jsonl, Text };

/// By the end of the name; text for what isn't known.
FileFormat format_of(std::string_view path);

/// InvalidArgument for a file that isn't what its format says and for a json_path of what isn't
/// JSON, NotFound for a json_path that leads nowhere.
Result<FileContent> file_content(std::string content, FileFormat format,
                                 const FileSelection& selection);

/// The same of JSON that is known to be such.
Result<FileContent> json_data_content(const std::string& json, const FileSelection& selection);

}  // namespace ba::files
