#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every --jsonl does: reads lines, and answers each before it waits for the next one. One
// thread; blocks until the input ends.

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "worker/cli/program/input_file.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba::cli {

struct LineAnswer {
  std::string text;  ///< without the line's end; empty: the line is passed over
  bool good = true;
};

struct LineAnswers {
  std::function<LineAnswer(std::string_view line)> of_line;
  /// Of a line above kLineBytesMax; `why` says so.
  std::function<LineAnswer(const std::string& why)> of_too_long;
};

struct AnsweredLines {
  int exit_code = 0;         ///< failed: an answer isn't good, or reading or writing failed
  bool whole = true;         ///< the input was read to its end, and each answer written
  std::size_t answered = 0;  ///< lines, without those that were passed over
  std::size_t not_good = 0;  ///< of these
};

/// A failure to read is told.
AnsweredLines answer_lines(const InputFile& input, const LineAnswers& answers, Terminal& terminal);

// The lines of an open file, split at "\n" only, in the memory of the longest: a line above the
// limit is passed over and reported. Waits for no more than it was given, so that another program
// can ask line by line. Owns no descriptor; one thread.

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

// The "id" of a line of JSON, which its answer gives back as it was written: no number loses
// digits. Pure functions, any thread.

/// Of an answer to a line that has none, or none that can be read.
inline constexpr std::string_view kNoId = "null";

/// Of a line that is known to be one JSON value; kNoId where it has none. A view into the line.
std::string_view id_of_line(std::string_view line);

/// `{"id":ID,…}`; `answer` is a JSON object with at least one member and without an id.
std::string with_id(std::string_view id, std::string_view answer);

}  // namespace ba::cli
