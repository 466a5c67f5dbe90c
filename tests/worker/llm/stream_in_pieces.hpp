#pragma once
// SPDX-License-Identifier: Apache-2.0
// The reply of a whole event stream that arrives in pieces, read without any network.

#include <algorithm>
#include <string_view>

#include "worker/http/sse_parser.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {

/// `piece`: bytes at a time; 0: everything at once.
inline Result<ProtocolReply> stream_in_pieces(const Protocol& protocol,
                                              const ProtocolContext& context,
                                              std::string_view bytes, std::size_t piece) {
  http::SseParser parser(static_cast<std::size_t>(context.limits.event_bytes_max));
  const auto reader = protocol.read_stream(context);
  if (piece == 0) piece = std::max<std::size_t>(1, bytes.size());
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    parser.feed(bytes.substr(0, piece));
    for (;;) {
      const auto event = parser.next();
      if (!event) return event.error();
      if (!*event) break;
      const auto complete = reader->take(**event);
      if (!complete) return complete.error();
      if (*complete) return reader->finish();
    }
  }
  return reader->finish();
}

}  // namespace ba::llm
