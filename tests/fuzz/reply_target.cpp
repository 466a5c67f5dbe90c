// SPDX-License-Identifier: Apache-2.0
// Replies of both protocols. The first byte: which protocol (A, a, f: Anthropic; O, o, F: OpenAI)
// and whether it is a whole reply, a stream or a failure. A streamed reply is the same in pieces.
#include "pipeline/message/validate.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/worker/llm/stream_in_pieces.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::fuzz {
namespace {

struct Provider {
  ProviderConfig provider;
  ModelConfig model;
  LlmLimits limits;

  explicit Provider(LlmProtocol protocol) {
    provider.name = model.provider = "p";
    provider.protocol = protocol;
    provider.base_url = "http://127.0.0.1:1";
    model.name = "m";
    model.model_id = "model-1";
    model.max_output_tokens = 100;
  }

  ProtocolContext context() const { return {provider, model, limits}; }
  const Protocol& protocol() const { return protocol_of(provider.protocol); }

  Result<ProtocolReply> stream(std::string_view bytes, std::size_t piece) const {
    return stream_in_pieces(protocol(), context(), bytes, piece);
  }
};

void check(const Result<ProtocolReply>& reply) {
  if (!reply) {
    BA_ASSERT(!reply.error().message.empty());
    return;
  }
  const AiMessage& message = reply->reply.message;
  const bool whole = reply->reply.stop == StopReason::ToolUse;
  if (whole) BA_ASSERT(!message.tool_calls.empty());
  if (whole) BA_ASSERT(validate_reply(message).has_value());
}

void check_stream(const Provider& provider, std::string_view bytes) {
  const auto whole = provider.stream(bytes, 0);
  const auto pieces = provider.stream(bytes, 7);
  check(whole);
  BA_ASSERT(whole.has_value() == pieces.has_value());
  if (whole) BA_ASSERT(whole->reply.message == pieces->reply.message);
}

}  // namespace

void reply(std::string_view input) {
  static const Provider anthropic(LlmProtocol::Anthropic);
  static const Provider openai(LlmProtocol::OpenaiChat);
  if (input.empty()) return;
  const char kind = input.front();
  const std::string_view bytes = input.substr(1);
  const Provider& provider = kind == 'O' || kind == 'o' || kind == 'F' ? openai : anthropic;
  if (kind == 'A' || kind == 'O') check(provider.protocol().read_reply(bytes, provider.context()));
  if (kind == 'a' || kind == 'o') check_stream(provider, bytes);
  if (kind == 'f' || kind == 'F')
    for (const int status : {400, 429, 529})
      check(provider.protocol().read_failure(status, bytes, provider.context()));
}

}  // namespace ba::fuzz
