// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/protocol.hpp"

#include "pipeline/base/assert.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/failure_table.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"

namespace ba {

const Protocol& protocol_of(LlmProtocol protocol) {
  static const AnthropicProtocol anthropic;
  static const OpenaiChatProtocol openai_chat;
  switch (protocol) {  // without a default: a new protocol that is missing here does not compile
    case LlmProtocol::Anthropic:
      return anthropic;
    case LlmProtocol::OpenaiChat:
      return openai_chat;
  }
  BA_ASSERT(false && "a protocol that has no name");
}

std::string extra_origin(const ProviderConfig& provider) {
  return std::string(name_of(kLlmProtocolNames, provider.protocol)) + "/" + provider.name;
}

Error malformed_reply(std::string what) {
  Error error;
  error.code = ErrorCode::Protocol;
  error.retry = Retry::Later;
  error.message = "malformed reply: " + readable(what);
  error.detail = "malformed";
  error.maybe_done = true;
  return error;
}

}  // namespace ba
