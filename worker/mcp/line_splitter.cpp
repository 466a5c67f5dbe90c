// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/line_splitter.hpp"

#include <algorithm>

namespace ba::mcp {
namespace {

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

bool LineSplitter::feed(std::string_view piece, const std::function<void(std::string_view)>& take) {
  for (std::size_t end = piece.find('\n'); end != piece.npos; end = piece.find('\n')) {
    if (begun_.size() + end > line_bytes_max_) return false;
    if (begun_.empty()) {
      take(without_return(piece.substr(0, end)));
    } else {
      begun_ += piece.substr(0, end);
      const std::string line = std::move(begun_);
      begun_.clear();
      take(without_return(line));
    }
    piece.remove_prefix(end + 1);
  }
  if (begun_.size() + piece.size() > line_bytes_max_) return false;
  begun_ += piece;
  return true;
}

void CutLines::feed(std::string_view piece, const std::function<void(std::string_view)>& take) {
  const auto add = [this](std::string_view part) {
    begun_ += part.substr(0, line_bytes_max_ - std::min(line_bytes_max_, begun_.size()));
  };
  for (std::size_t end = piece.find('\n'); end != piece.npos; end = piece.find('\n')) {
    add(piece.substr(0, end));
    const std::string line = std::move(begun_);
    begun_.clear();
    take(without_return(line));
    piece.remove_prefix(end + 1);
  }
  add(piece);
}

}  // namespace ba::mcp
