#pragma once
// SPDX-License-Identifier: Apache-2.0
// The streamed form of a chat completion. The end is `[DONE]`, but a stream that just ends after
// its finish_reason counts as well, and so does `[DONE]` alone: not every server says both.

#include "worker/llm/openai_chat/openai_chat_reply.hpp"
#include "worker/llm/protocol.hpp"

namespace ba {

class OpenaiChatStream final : public StreamReader {
 public:
  /// What `context` refers to must outlive the reader.
  explicit OpenaiChatStream(const ProtocolContext& context) : context_(context) {}

  Result<bool> take(const SseEvent& event) override;
  Result<ProtocolReply> finish() override;

 private:
  void take_choice(JsonView choice);

  ProtocolContext context_;
  OpenaiChatDraft draft_;
  bool begun_ = false;  ///< by the first choice
  bool done_ = false;
};

}  // namespace ba
