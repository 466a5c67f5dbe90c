#pragma once
// SPDX-License-Identifier: Apache-2.0
// How detailed an observation is: which level holds for a call, and the text of a result at each.
// Pure functions of JSON text; insertion order is kept, non-ASCII is not escaped, cuts are made
// between code points. An encoding stands in the place of JSON at STANDARD and FULL. Any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "pipeline/text/encoding/encoding.hpp"

namespace ba {

/// What decides about a call's level, in order: the first that applies.
struct LevelChoice {
  std::optional<OutputLevel> asked;         ///< by the model, for this call
  std::optional<OutputLevel> tool_default;  ///< configured for the tool
  double window_used = 0.0;                 ///< above brief_above_percent: BRIEF
  int brief_above_percent = 80;
  OutputLevel global_default = OutputLevel::Standard;
};

OutputLevel effective_level(const LevelChoice& choice);

/// An array of which only the first items are at hand.
struct WholeArray {
  std::int64_t items = 0;
  std::int64_t bytes = 0;  ///< as compact JSON
  std::string hash;        ///< of that: SHA-256, hexadecimal digits

  friend bool operator==(const WholeArray&, const WholeArray&) = default;
};

/// How a result is put before the model.
struct ResultFormat {
  OutputLevel level = OutputLevel::Standard;
  std::int64_t bytes_max = 256 * 1024;
  DataEncoding encoding = DataEncoding::Json;
  bool whole_text = false;     ///< at STANDARD, a text isn't cut
  bool stable_prefix = false;  ///< the first line is `<tool_result name="…">`, whatever follows
  std::string tool;            ///< its name
  /// At FULL, data whose text would be longer than this is shown in part. None: all of it is shown.
  std::optional<std::int64_t> full_inline_max;
  std::int64_t preview_bytes = 4 * 1024;  ///< of such a part
  std::string note;                       ///< what the tool says about the data; empty: nothing
  std::optional<WholeArray> whole;        ///< what is given is the beginning of this
};

/// A result as the model reads it, and what is recorded of it.
struct FormattedResult {
  std::string text;                  ///< of the level, and below it the note
  std::string note;                  ///< as it stands there: one line
  bool in_part = false;              ///< at FULL: the beginning of the data only
  std::string data;                  ///< as compact JSON in UTF-8; empty of a beginning
  std::int64_t data_size_bytes = 0;  ///< of that, at every level
  std::string data_hash;             ///< its SHA-256, hexadecimal digits
  std::string data_summary;          ///< "List with N items. …"
  std::string plain;                 ///< as a plain loop would show it (full_text.hpp)
};

/// Protocol when `data` is not JSON: a bug of the tool. JSON beyond the limits of json_shape.hpp is
/// a text from here on, which the note says. What would make
/// the text longer than `bytes_max` is cut off, and a last line says so.
Result<FormattedResult> format_result(std::string_view data, const ResultFormat& format);

/// The first `count` code points of `text`, then "…" only when something was cut.
std::string cut_code_points(std::string_view text, std::size_t count);

}  // namespace ba
