#pragma once
// SPDX-License-Identifier: Apache-2.0
// A result at FULL: whole where its text is short enough, else its beginning, cut between rows, and
// a line that says how much there is beside it. Pure function, any thread.

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

}  // namespace ba
