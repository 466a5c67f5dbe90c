#pragma once
// SPDX-License-Identifier: Apache-2.0
// Lines of JSON from a stream, split at \n only (texts may hold U+2028), each bounded. One thread.

#include <cstddef>
#include <istream>
#include <optional>
#include <string>

namespace ba {

class JsonLines {
 public:
  static constexpr std::size_t kBytesMax = 64 << 20;  ///< of one line

  /// Borrows the stream.
  explicit JsonLines(std::istream& in, std::size_t bytes_max = kBytesMax)
      : in_(in), bytes_max_(bytes_max) {}

  struct Line {
    std::size_t number = 0;  ///< from 1
    std::string text;        ///< without its end; of one that is too long: its beginning
    bool too_long = false;
  };

  /// The next line that isn't blank; none at the end.
  std::optional<Line> next();

  /// Whether more can be read without waiting; if not, whoever answers line by line flushes.
  bool more_at_hand() { return in_.rdbuf()->in_avail() > 0; }

 private:
  bool read(Line& line);

  std::istream& in_;
  const std::size_t bytes_max_;
  std::size_t number_ = 0;
};

}  // namespace ba
