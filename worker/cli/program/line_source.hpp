#pragma once
// SPDX-License-Identifier: Apache-2.0
// The lines of an open file, split at "\n" only, in the memory of the longest: a line above the
// limit is passed over and reported. Waits for no more than it was given, so that another program
// can ask line by line. Owns no descriptor; one thread.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace ba {

/// Of one line that a command answers.
inline constexpr std::size_t kLineBytesMax = std::size_t{64} << 20;

class LineSource {
 public:
  enum class Read { Line, TooLong, End, Failed };

  LineSource(int descriptor, std::size_t line_bytes_max)
      : descriptor_(descriptor), line_bytes_max_(line_bytes_max) {}

  /// The next line without its end; a last one needs none. After Failed, errno says why.
  Read next(std::string& line);

 private:
  bool fill();

  const int descriptor_;
  const std::size_t line_bytes_max_;
  std::array<char, 65536> buffer_;
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace ba
