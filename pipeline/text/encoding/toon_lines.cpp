// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/encoding/toon_lines.hpp"

#include <algorithm>

#include "pipeline/text/encoding/encoding_limits.hpp"
#include "pipeline/text/encoding/toon_token.hpp"

namespace ba {

ToonLines::ToonLines(std::string_view text, int indent, bool strict)
    : rest_(text), indent_(static_cast<std::size_t>(indent)), strict_(strict) {
  advance();
}

void ToonLines::advance() {
  bool after_blank = false;
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view raw = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    if (raw.ends_with('\r')) raw.remove_suffix(1);
    const std::size_t first = raw.find_first_not_of(' ');
    if (first != std::string_view::npos && raw[first] == '#') continue;
    if (raw.find_first_not_of(" \t") == std::string_view::npos) {
      after_blank = true;
      continue;
    }
    measure(raw);
    line_.after_blank = after_blank;
    has_line_ = true;
    return;
  }
  has_line_ = false;
}

/// A tab in front counts as one level where it is borne at all.
void ToonLines::measure(std::string_view raw) {
  const std::size_t first = raw.find_first_not_of(" \t");
  const auto tabs = static_cast<std::size_t>(
      std::count(raw.begin(), raw.begin() + static_cast<int>(first), '\t'));
  line_.content = without_spaces(raw.substr(first));
  line_.number = number_;
  const std::size_t depth = tabs + (first - tabs) / indent_;
  line_.depth = static_cast<int>(std::min<std::size_t>(depth, 4 * kEncodedDepthMax));
  line_.problem = nullptr;
  if (!strict_) return;
  if (tabs > 0)
    line_.problem = "a tab indents the line; indent with spaces";
  else if (first % indent_ != 0)
    line_.problem = "the line's indentation is no multiple of the indent size";
}

}  // namespace ba
