// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/answer_lines.hpp"

#include <ostream>

#include "worker/cli/program/exit_code.hpp"
#include "worker/cli/program/line_source.hpp"

namespace ba {

AnsweredLines answer_lines(const InputFile& input, const LineAnswers& answers, Terminal& terminal) {
  AnsweredLines done;
  const auto failed = [&](bool reading) {
    if (reading) terminal.failure(input.failure());
    done.exit_code = kExitFailed;
    done.whole = false;
    return done;
  };
  if (input.descriptor() < 0) return failed(true);
  const bool at_once = !input.is_regular_file();  // a file needs no haste
  LineSource lines(input.descriptor(), kLineBytesMax);
  std::string line;
  for (;;) {
    const LineSource::Read read = lines.next(line);
    if (read == LineSource::Read::End) return done;
    if (read == LineSource::Read::Failed) return failed(true);
    const LineAnswer answer = read == LineSource::Read::Line
                                  ? answers.of_line(line)
                                  : answers.of_too_long("the line has more than " +
                                                        std::to_string(kLineBytesMax) + " bytes");
    if (answer.text.empty()) continue;
    ++done.answered;
    if (!answer.good) {
      ++done.not_good;
      done.exit_code = kExitFailed;
    }
    terminal.out() << answer.text << '\n';
    if (at_once) terminal.out().flush();
    if (!terminal.out()) return failed(false);
  }
}

}  // namespace ba
