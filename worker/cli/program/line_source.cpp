// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/line_source.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ba {

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

}  // namespace ba
