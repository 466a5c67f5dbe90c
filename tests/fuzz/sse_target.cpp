// SPDX-License-Identifier: Apache-2.0
// An event stream says the same in one piece and in pieces of any size. The first byte is that
// size.
#include <string>
#include <vector>

#include "tests/fuzz/targets.hpp"
#include "worker/http/sse_parser.hpp"

namespace ba::fuzz {
namespace {

/// Every event as "name\ndata"; at last the error, if there was one.
std::vector<std::string> events_of(std::string_view bytes, std::size_t piece) {
  http::SseParser parser(4096);
  std::vector<std::string> events;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    parser.feed(bytes.substr(at, piece));
    for (;;) {
      const auto event = parser.next();
      if (!event) {
        events.push_back(event.error().message);
        return events;
      }
      if (!*event) break;
      events.push_back(std::string((*event)->name) + "\n" + std::string((*event)->data));
    }
  }
  return events;
}

}  // namespace

void sse(std::string_view input) {
  if (input.empty()) return;
  const std::string_view bytes = input.substr(1);
  const std::size_t piece = static_cast<unsigned char>(input.front()) % 16 + std::size_t{1};
  BA_ASSERT(events_of(bytes, bytes.size() + 1) == events_of(bytes, piece));
}

}  // namespace ba::fuzz
