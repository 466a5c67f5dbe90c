// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/answer_lines.hpp"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <ostream>

#include "pipeline/text/message/json_view.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

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

LineSource::Read LineSource::next(std::string& line) {
  line.clear();
  bool too_long = false;
  bool begun = false;
  while (!rest_.empty() || fill()) {
    begun = true;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    too_long = too_long || line.size() + end > line_bytes_max_;
    if (!too_long) line += rest_.substr(0, end);
    const bool ended = end < rest_.size();
    rest_.remove_prefix(ended ? end + 1 : end);
    if (ended) return too_long ? Read::TooLong : Read::Line;
  }
  if (failed_) return Read::Failed;
  if (!begun) return Read::End;
  return too_long ? Read::TooLong : Read::Line;
}

bool LineSource::fill() {
  ssize_t got = 0;
  do got = ::read(descriptor_, buffer_.data(), buffer_.size());
  while (got < 0 && errno == EINTR);
  failed_ = got < 0;
  rest_ = std::string_view(buffer_.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return got > 0;
}

std::string_view id_of_line(std::string_view line) {
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  const std::string_view id = JsonView::of_proven(line)["id"].raw();
  return id.empty() ? kNoId : id;
}

std::string with_id(std::string_view id, std::string_view answer) {
  return "{\"id\":" + std::string(id) + "," + std::string(answer.substr(1));
}

}  // namespace ba::cli
