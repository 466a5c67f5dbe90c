#pragma once
// SPDX-License-Identifier: Apache-2.0
// A request of the Messages API as its body, and a reply as it is being read. Of a request, what
// does not change between the steps of a conversation comes first and is written the same each
// time, so that the prompt cache holds. Of a reply, whole bodies and streams fill the same draft.
// Values.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "worker/llm/protocol.hpp"
#include "worker/llm/reply_draft.hpp"
#include "worker/llm/request_writer.hpp"

namespace ba::llm {

std::unique_ptr<RequestWriter> anthropic_writer(const ModelRequest& request,
                                                const ProtocolContext& context);

inline bool thinking_block(JsonView block) {
  return block["type"].equals("thinking") || block["type"].equals("redacted_thinking");
}

/// The same request without any thinking block: models bind those to the exact prefix they were
/// produced under and refuse them when it has changed (compression, another system prompt).
std::string without_thinking(std::string_view body);

struct AnthropicBlock {
  std::string start;  ///< JSON of the block as it was sent, of a stream: as it began
  std::string type;
  std::string text;  ///< of text and thinking blocks
  std::string signature;
  std::string id;
  std::string name;
  std::string input;   ///< JSON, as the block began with
  std::string pieces;  ///< of the input, streamed: instead of it, where there are any
  std::vector<std::string> citations;  ///< JSON, streamed
  bool plain = true;                   ///< the neutral message says all that is in it
  bool streamed = false;               ///< deltas followed: `start` alone is not the block
};

struct AnthropicDraft : ReplyDraft {
  std::string stop_reason;
  std::vector<AnthropicBlock> blocks;

  void read_message(JsonView message);  ///< id, model, stop reason, usage
  void read_usage(JsonView usage);      ///< what is given replaces what was, but not by a zero
};

AnthropicBlock read_anthropic_block(JsonView block);

/// Checks the draft and makes the reply of it.
Result<ProtocolReply> finish_anthropic_reply(AnthropicDraft draft, const ProtocolContext& context);

/// The streamed form of a Messages reply: events, in order, become the draft that a whole body
/// gives.
/// What `context` refers to must outlive the reader.
std::unique_ptr<StreamReader> anthropic_stream(const ProtocolContext& context);

}  // namespace ba::llm
