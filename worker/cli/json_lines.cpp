// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/json_lines.hpp"

namespace ba {

/// False at the end of the stream.
bool JsonLines::read(Line& line) {
  line = {};
  std::streambuf& buffer = *in_.rdbuf();
  constexpr int kEnd = std::streambuf::traits_type::eof();
  int c = buffer.sbumpc();
  if (c == kEnd) return false;
  line.number = ++number_;
  for (; c != kEnd && c != '\n'; c = buffer.sbumpc()) {
    if (line.text.size() < bytes_max_)
      line.text += static_cast<char>(c);
    else
      line.too_long = true;
  }
  if (line.text.ends_with('\r')) line.text.pop_back();
  return true;
}

std::optional<JsonLines::Line> JsonLines::next() {
  Line line;
  while (read(line))
    if (line.text.find_first_not_of(" \t") != std::string::npos) return line;
  return std::nullopt;
}

}  // namespace ba
