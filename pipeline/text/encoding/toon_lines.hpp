#pragma once
// SPDX-License-Identifier: Apache-2.0
// The lines of a TOON text with their depths; comments and blank lines are passed over (§5.1, §12
// of specification 4.0). A cursor without memory of its own: copy it to look ahead. The text must
// outlive it. Any thread.

#include <cstddef>
#include <string>
#include <string_view>

namespace ba {

struct ToonLine {
  std::string_view content;  ///< without indentation and trailing spaces; never empty
  std::size_t number = 0;    ///< from 1
  int depth = 0;
  bool after_blank = false;       ///< at least one blank line stands before it
  const char* problem = nullptr;  ///< of its indentation, in strict mode
};

class ToonLines {
 public:
  ToonLines(std::string_view text, int indent, bool strict);

  /// False at the end of the text; then there is no line to look at.
  bool has_line() const { return has_line_; }
  const ToonLine& line() const { return line_; }
  void advance();

 private:
  void measure(std::string_view raw);

  std::string_view rest_;
  const std::size_t indent_;
  const bool strict_;
  bool has_line_ = false;
  std::size_t number_ = 0;
  ToonLine line_;
};

}  // namespace ba
