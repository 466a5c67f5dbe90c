#pragma once
// SPDX-License-Identifier: Apache-2.0
// The streamed form of a Messages reply: events, in order, become the draft that a whole body
// gives.

#include "worker/llm/anthropic/anthropic_reply.hpp"
#include "worker/llm/protocol.hpp"

namespace ba {

class AnthropicStream final : public StreamReader {
 public:
  /// What `context` refers to must outlive the reader.
  explicit AnthropicStream(const ProtocolContext& context) : context_(context) {}

  Result<bool> take(const SseEvent& event) override;
  Result<ProtocolReply> finish() override;

 private:
  struct Event;
  Result<bool> take(const Event& event);
  Result<bool> start_block(const Event& event);
  Result<bool> extend_block(const Event& event);

  ProtocolContext context_;
  AnthropicDraft draft_;
  bool stopped_ = false;  ///< by message_stop
};

}  // namespace ba
