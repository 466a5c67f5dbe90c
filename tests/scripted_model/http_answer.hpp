#pragma once
// SPDX-License-Identifier: Apache-2.0
// The bytes of an HTTP answer and how they are to be sent: when, in which pieces, and what happens
// after the last. Also where scripted faults get their effect. Values and pure functions.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "tests/scripted_model/reply.hpp"
#include "tests/scripted_model/script.hpp"

namespace ba::scripted {

struct Answer {
  enum class End { KeepAlive, Close, Hang };

  std::chrono::milliseconds delay{0};  ///< before the first byte
  std::string bytes;                   ///< status line, headers, body
  std::vector<std::size_t> breaks;     ///< where to pause; empty: all at once
  std::chrono::milliseconds pause{0};  ///< at each break
  End end = End::KeepAlive;
};

/// `extra_headers` are whole lines, each with its CRLF.
Answer whole_answer(int status, std::string_view content_type, std::string_view body,
                    std::string_view extra_headers = {});

/// Each event one chunk.
Answer streamed_answer(const ReplyBody& body, std::string_view extra_headers,
                       std::chrono::milliseconds event_delay);

/// A good reply, spoilt as `fault` says (which has no status).
Answer spoilt_answer(ReplyBody body, std::string_view extra_headers, const Fault& fault,
                     const std::string& error_event);

}  // namespace ba::scripted
