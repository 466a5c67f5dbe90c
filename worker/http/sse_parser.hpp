#pragma once
// SPDX-License-Identifier: Apache-2.0
// Server-sent events without I/O (WHATWG HTML §9.2.6): pieces of any size go in, whole events come
// out. Lines end with LF, CR or CRLF; comments and unknown fields are skipped; what a stream leaves
// unfinished is dropped. One stream per parser.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba::http {

struct SseEvent {
  std::string_view name;  ///< of the `event` field; "" when there was none
  std::string_view data;  ///< its `data` lines, joined by LF
  std::string_view id;    ///< of the last `id` field so far; "" when there was none
};

class SseParser {
 public:
  /// `event_bytes_max` bounds a line and the data of an event.
  explicit SseParser(std::size_t event_bytes_max) : event_bytes_max_(event_bytes_max) {}

  void feed(std::string_view piece);

  /// The next event that is complete, none until more is fed. Its views live until the next call of
  /// any member. LimitExceeded when a line or an event is too long: the stream can't be read on.
  Result<std::optional<SseEvent>> next();

  /// The last `retry` field: how long to wait before the stream is asked for again.
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

 private:
  bool take_line(std::string_view& line);
  void take_field(std::string_view line);

  std::size_t event_bytes_max_;
  std::string buffer_;
  std::size_t begin_ = 0;    ///< of the current line
  std::size_t scanned_ = 0;  ///< how far the current line was searched for its end
  bool skip_lf_ = false;     ///< the last line ended with CR
  bool first_line_ = true;
  bool has_data_ = false;
  bool delivered_ = false;  ///< name_ and data_ are those of an event that was handed out
  std::string name_;
  std::string data_;
  std::string id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace ba::http
