#pragma once
// SPDX-License-Identifier: Apache-2.0
// The streamed form of a response. Deltas only repeat what whole items say, so those are read
// (`response.output_item.done`) and the event that ends the stream: completed, incomplete or
// failed. Items that were never announced as done are taken from that last event.

#include <cstdint>
#include <map>

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
  Result<bool> keep_item(JsonView index, JsonView item);
  void end(JsonView response, std::string_view status);

  ProtocolContext context_;
  OpenaiResponsesDraft draft_;
  std::map<std::int64_t, std::string> done_;  ///< items by output_index
  std::size_t kept_bytes_ = 0;                ///< of done_
  bool ended_ = false;
};

}  // namespace ba
