#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every --jsonl does: reads lines, and answers each before it waits for the next one. One
// thread; blocks until the input ends.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "worker/cli/program/input_file.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba {

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

}  // namespace ba
