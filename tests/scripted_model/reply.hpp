#pragma once
// SPDX-License-Identifier: Apache-2.0
// A model's reply before a protocol gives it its form. Values.

#include <cstdint>
#include <string>
#include <vector>

namespace ba::scripted {

struct ReplyUsage {
  std::int64_t input_tokens = 0;  ///< neither read from the cache nor written to it
  std::int64_t cache_read_tokens = 0;
  std::int64_t cache_write_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t thinking_tokens = 0;  ///< part of output_tokens
};

struct ReplyCall {
  std::string id;
  std::string name;
  std::string arguments = "{}";  ///< JSON text of an object, unless the script wants it broken
  bool broken = false;           ///< `arguments` is no JSON
};

struct Reply {
  std::string id;  ///< hash part of the ids
  std::string model;
  std::string text;
  std::string thinking;
  std::string signature;
  std::vector<ReplyCall> calls;
  std::string stop = "end_turn";  ///< Anthropic's words; context_exceeded; or any other
  ReplyUsage usage;
};

/// The body of an answer. A stream consists of events, each ending at one of the offsets.
struct ReplyBody {
  std::string bytes;
  std::vector<std::size_t> event_ends;  ///< empty: one JSON document
};

}  // namespace ba::scripted
