// SPDX-License-Identifier: Apache-2.0
#include "worker/http/sse_parser.hpp"

namespace ba::http {
namespace {

Error too_long(std::size_t limit) {
  return make_error(ErrorCode::LimitExceeded, "a streamed event is longer than " +
                                                  std::to_string(limit) +
                                                  " bytes (llm.limits.event_bytes_max)");
}

/// Only digits count; anything else leaves what was said before.
std::optional<std::chrono::milliseconds> whole_milliseconds(
    std::string_view text, std::optional<std::chrono::milliseconds> otherwise) {
  constexpr std::size_t kDigitsMax = 9;
  const bool digits = !text.empty() && text.size() <= kDigitsMax &&
                      text.find_first_not_of("0123456789") == text.npos;
  if (!digits) return otherwise;
  return std::chrono::milliseconds(std::stol(std::string(text)));
}

}  // namespace

void SseParser::feed(std::string_view piece) {
  buffer_.erase(0, begin_);
  scanned_ -= begin_;
  begin_ = 0;
  buffer_ += piece;
}

Result<std::optional<SseEvent>> SseParser::next() {
  if (delivered_) {
    name_.clear();
    data_.clear();
    delivered_ = has_data_ = false;
  }
  std::string_view line;
  while (take_line(line)) {
    if (line.size() + data_.size() > event_bytes_max_) return too_long(event_bytes_max_);
    if (!line.empty()) {
      take_field(line);
      continue;
    }
    if (has_data_) {
      delivered_ = true;
      return std::optional(SseEvent{name_, data_, id_});
    }
    name_.clear();
  }
  if (buffer_.size() - begin_ > event_bytes_max_) return too_long(event_bytes_max_);
  return std::optional<SseEvent>();
}

/// The next whole line without its end.
bool SseParser::take_line(std::string_view& line) {
  if (skip_lf_ && begin_ < buffer_.size()) {
    skip_lf_ = false;
    if (buffer_[begin_] == '\n') ++begin_;
    if (scanned_ < begin_) scanned_ = begin_;
  }
  std::size_t end = scanned_;
  while (end < buffer_.size() && buffer_[end] != '\n' && buffer_[end] != '\r') ++end;
  scanned_ = end;
  if (end == buffer_.size()) return false;
  line = std::string_view(buffer_).substr(begin_, end - begin_);
  skip_lf_ = buffer_[end] == '\r';
  begin_ = scanned_ = end + 1;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (first_line_ && line.substr(0, kByteOrderMark.size()) == kByteOrderMark)
    line.remove_prefix(kByteOrderMark.size());
  first_line_ = false;
  return true;
}

void SseParser::take_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == line.npos ? std::string_view() : line.substr(colon + 1);
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  if (field == "event") {
    name_ = value;
  } else if (field == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  } else if (field == "id") {
    if (value.find('\0') == value.npos) id_ = value;
  } else if (field == "retry") {
    retry_ = whole_milliseconds(value, retry_);
  }
}

}  // namespace ba::http
