// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/http_answer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace ba::scripted {

namespace {

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 404:
      return "Not Found";
    case 413:
      return "Payload Too Large";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return "Status";
  }
}

void append_number(std::string& out, std::size_t number, int base) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
  out.append(digits.data(), end);
}

void append_head(std::string& out, int status, std::string_view content_type,
                 std::string_view extra_headers) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<std::size_t>(status), 10);
  out += ' ';
  out += reason(status);
  out += "\r\nContent-Type: ";
  out += content_type;
  out += "\r\n";
  out += extra_headers;
}

void append_chunk(std::string& out, std::string_view bytes) {
  append_number(out, bytes.size(), 16);
  out += "\r\n";
  out += bytes;
  out += "\r\n";
}

/// Replaces the second half of the events by an error event.
void end_in_error(ReplyBody& body, const std::string& error_event) {
  body.event_ends.resize(body.event_ends.size() / 2);
  body.bytes.resize(body.event_ends.empty() ? 0 : body.event_ends.back());
  body.bytes += error_event;
  body.event_ends.push_back(body.bytes.size());
}

/// Ends of equal pieces instead of those of the events.
std::vector<std::size_t> equal_ends(std::size_t size, std::size_t piece) {
  std::vector<std::size_t> ends;
  for (std::size_t end = piece; end < size; end += piece) ends.push_back(end);
  ends.push_back(size);
  return ends;
}

/// How many bytes of the body are sent at all.
std::size_t sent_bytes(std::size_t size, const Fault& fault) {
  size = std::min(size, fault.cut_after_bytes.value_or(size));
  return std::min(size, fault.stall_after_bytes.value_or(size));
}

/// Appends the body up to `limit` in pieces that end at `ends`, framed by `append`.
template <typename Append>
void append_pieces(Answer& answer, std::string_view body, const std::vector<std::size_t>& ends,
                   std::size_t limit, Append append) {
  std::size_t from = 0;
  for (const std::size_t end : ends) {
    const std::size_t until = std::min(end, limit);
    if (until <= from) break;
    append(answer.bytes, body.substr(from, until - from));
    answer.breaks.push_back(answer.bytes.size());
    from = until;
  }
}

}  // namespace

Answer whole_answer(int status, std::string_view content_type, std::string_view body,
                    std::string_view extra_headers) {
  Answer answer;
  answer.bytes.reserve(body.size() + extra_headers.size() + 160);
  append_head(answer.bytes, status, content_type, extra_headers);
  answer.bytes += "Content-Length: ";
  append_number(answer.bytes, body.size(), 10);
  answer.bytes += "\r\n\r\n";
  answer.bytes += body;
  return answer;
}

Answer streamed_answer(const ReplyBody& body, std::string_view extra_headers,
                       std::chrono::milliseconds event_delay) {
  Fault none;
  none.chunk_delay = event_delay;
  return spoilt_answer(body, extra_headers, none, {});
}

Answer spoilt_answer(ReplyBody body, std::string_view extra_headers, const Fault& fault,
                     const std::string& error_event) {
  Answer answer;
  if (fault.hang || fault.close) {
    answer.end = fault.hang ? Answer::End::Hang : Answer::End::Close;
    return answer;
  }
  const bool stream = !body.event_ends.empty();
  if (stream && !fault.stream_error.empty()) end_in_error(body, error_event);
  const std::size_t size = body.bytes.size();
  const std::size_t limit = sent_bytes(size, fault);
  std::vector<std::size_t> ends = fault.chunk_bytes > 0 ? equal_ends(size, fault.chunk_bytes)
                                  : stream              ? body.event_ends
                                                        : std::vector<std::size_t>{size};
  answer.pause = fault.chunk_delay;
  append_head(answer.bytes, 200, stream ? "text/event-stream; charset=utf-8" : "application/json",
              extra_headers);
  if (stream) {
    answer.bytes += "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n";
    append_pieces(answer, body.bytes, ends, limit, append_chunk);
    if (limit == size) answer.bytes += "0\r\n\r\n";
  } else {
    answer.bytes += "Content-Length: " + std::to_string(size) + "\r\n\r\n";
    append_pieces(answer, body.bytes, ends, limit,
                  [](std::string& out, std::string_view piece) { out += piece; });
  }
  const bool split = answer.pause.count() > 0 || fault.chunk_bytes > 0;
  if (!split) answer.breaks.clear();
  if (fault.cut_after_bytes) answer.end = Answer::End::Close;
  if (fault.stall_after_bytes) answer.end = Answer::End::Hang;
  return answer;
}

}  // namespace ba::scripted
