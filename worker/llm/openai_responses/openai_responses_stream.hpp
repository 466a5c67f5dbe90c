#pragma once
// SPDX-License-Identifier: Apache-2.0
// The streamed form of a response. Deltas only repeat what whole items say, so those are read
// (`response.output_item.done`) and the event that ends the stream: completed, incomplete or
// failed. Items that were never announced as done are put together from their deltas, or taken from
// that last event where it has more.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "worker/llm/openai_responses/openai_responses_reply.hpp"
#include "worker/llm/protocol.hpp"

namespace ba {

class OpenaiResponsesStream final : public StreamReader {
 public:
  /// What `context` refers to must outlive the reader.
  explicit OpenaiResponsesStream(const ProtocolContext& context) : context_(context) {}

  Result<bool> take(const SseEvent& event) override;
  Result<ProtocolReply> finish() override;

 private:
  /// An item that has begun, and what of it came since.
  struct Begun {
    std::string item;
    std::string arguments;
    std::map<std::int64_t, std::string> texts;  ///< by content_index
  };

  Result<bool> keep_item(JsonView index, JsonView item);
  void keep_piece(std::string_view type, JsonView event);
  static std::optional<std::string> item_of(const Begun& begun);
  void end(JsonView response, std::string_view status);

  ProtocolContext context_;
  OpenaiResponsesDraft draft_;
  std::map<std::int64_t, std::string> done_;  ///< items by output_index
  std::map<std::int64_t, Begun> begun_;       ///< those that are not done
  std::size_t kept_bytes_ = 0;                ///< of done_
  bool ended_ = false;
};

}  // namespace ba
