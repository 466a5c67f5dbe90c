#pragma once
// SPDX-License-Identifier: Apache-2.0
// The data of an artifact as the content of a file: rows as CSV (RFC 4180), a text as it is, all
// else as JSON. Values keep the spelling they have in the data. Pure; any thread.

#include <string>
#include <string_view>

namespace ba::files {

enum class ArtifactForm { Text, Json, Csv };

struct ArtifactFile {
  ArtifactForm form = ArtifactForm::Json;
  std::string content;
  bool cut = false;           ///< it would have more than `csv_bytes_max`
  std::size_t made_text = 0;  ///< cells that have an apostrophe in front, see FormulaCells
};

/// What a program for tables would take for a formula: a text that begins with = + - @, a tab or
/// the end of a line, and is no number. An apostrophe in front makes it the text that it is.
enum class FormulaCells { Text, Keep };

/// Whether a text would be taken for one.
bool looks_like_formula(std::string_view text);

/// `data` is JSON, as the store has it. `csv`: rows are wanted as CSV, which an array of objects
/// becomes, with a header of all their fields in the order in which they first come; a null is
/// nothing, a list or object in a field is JSON. CSV of more than `csv_bytes_max` isn't made to its
/// end: rows that share no fields would make it larger by far than the data.
ArtifactFile artifact_file(std::string_view data, bool csv, std::size_t csv_bytes_max,
                           FormulaCells formulas = FormulaCells::Keep);

}  // namespace ba::files
