#pragma once
// SPDX-License-Identifier: Apache-2.0
// Lines out of pieces of any size. No I/O. One stream per object.

#include <functional>
#include <string>
#include <string_view>

namespace ba::mcp {

class LineSplitter {
 public:
  explicit LineSplitter(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}

  /// Calls `take` for each whole line, without its end (LF or CRLF). False when a line is longer
  /// than is allowed: nothing more can be read.
  bool feed(std::string_view piece, const std::function<void(std::string_view)>& take);

 private:
  const std::size_t line_bytes_max_;
  std::string begun_;  ///< of a line that has no end yet
};

/// The same for text that may be cut: what is longer is given in a first part, and skipped on.
class CutLines {
 public:
  explicit CutLines(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}
  void feed(std::string_view piece, const std::function<void(std::string_view)>& take);

 private:
  const std::size_t line_bytes_max_;
  std::string begun_;
};

}  // namespace ba::mcp
