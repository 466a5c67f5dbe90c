#pragma once
// SPDX-License-Identifier: Apache-2.0
// A result at FULL: whole where its text is short enough, else its beginning, cut between rows, and
// a line that says how much there is beside it. And as a plain ReAct loop would show it: what
// savings are reckoned against (pipeline/core/job/README.md). Pure functions, any thread.

#include <cstddef>
#include <string>

#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/text/encoding/json_document.hpp"

namespace ba {

struct FullText {
  std::string text;
  bool in_part = false;
};

/// Of an array the first items whose text has at most `preview_bytes`, then "… N more rows"; of
/// anything else so many bytes, then "… N more characters". A text in `auto` is bare.
FullText full_text(const OrderedJson& data, const std::string& summary, const ResultFormat& format);

/// A plain loop cuts a result there; the one of `ops/bench economy` too.
inline constexpr std::size_t kPlainResultBytesMax = 256 * 1024;

/// Indented JSON; of data that is one text, that text. Of a long array no more rows are written
/// than are needed.
std::string plain_text(const OrderedJson& data);

}  // namespace ba
