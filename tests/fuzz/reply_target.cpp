// SPDX-License-Identifier: Apache-2.0
// Replies of every protocol. The first byte: which protocol (A, a, f: Anthropic; O, o, F: OpenAI's
// chat completions; R, r, E: its responses) and whether it is a whole reply, a stream or a failure.
// A streamed reply is the same in pieces, and what was kept of a reply can be sent back.
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/validate.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/worker/llm/stream_in_pieces.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"
#include "worker/llm/protocol.hpp"
#include "worker/llm/reply_draft.hpp"

namespace ba::fuzz {
namespace {

struct Provider {
  llm::ProviderConfig provider;
  llm::ModelConfig model;
  llm::LlmLimits limits;

  explicit Provider(const llm::Protocol* protocol) {
    provider.name = model.provider = "p";
    provider.protocol = protocol;
    provider.base_url = "http://127.0.0.1:1";
    model.name = "m";
    model.model_id = "model-1";
    model.max_output_tokens = 100;
  }

  llm::ProtocolContext context() const { return {provider, model, limits}; }
  const llm::Protocol& protocol() const { return *provider.protocol; }

  Result<llm::ProtocolReply> stream(std::string_view bytes, std::size_t piece) const {
    return llm::stream_in_pieces(protocol(), context(), bytes, piece);
  }
};

/// The reply with answers to its calls, as the next request has it.
void check_way_back(const Provider& provider, AiMessage message) {
  HumanMessage question;
  question.meta.message_id = MessageId("q");
  question.text = "q";
  message.meta.message_id = MessageId("a");
  std::vector<Message> history{question, message};
  for (const ToolCall& call : message.tool_calls) {
    ToolMessage& answer = std::get<ToolMessage>(history.emplace_back(ToolMessage()));
    answer.meta.message_id = MessageId("t" + std::to_string(history.size()));
    answer.tool_call_id = call.id;
    answer.tool_name = call.name;
  }
  ModelRequest request;
  request.model = "m";
  for (const Message& each : history) request.messages.push_back(&each);
  const auto body = provider.protocol().request_body(request, provider.context());
  BA_ASSERT(body.has_value());
  BA_ASSERT(is_json(*body));
}

void check(const Provider& provider, const Result<llm::ProtocolReply>& reply) {
  if (!reply) {
    BA_ASSERT(!reply.error().message.empty());
    return;
  }
  const AiMessage& message = reply->reply.message;
  if (reply->reply.stop != StopReason::ToolUse) return;
  BA_ASSERT(!message.tool_calls.empty());
  BA_ASSERT(validate_reply(message).has_value());
  check_way_back(provider, message);
}

void check_stream(const Provider& provider, std::string_view bytes) {
  const auto whole = provider.stream(bytes, 0);
  const auto pieces = provider.stream(bytes, 7);
  check(provider, whole);
  BA_ASSERT(whole.has_value() == pieces.has_value());
  if (whole) BA_ASSERT(whole->reply.message == pieces->reply.message);
}

}  // namespace

void reply(std::string_view input) {
  static const Provider anthropic(&llm::anthropic_protocol());
  static const Provider chat(&llm::openai_chat_protocol());
  static const Provider responses(&llm::openai_responses_protocol());
  if (input.empty()) return;
  const std::string_view bytes = input.substr(1);
  const auto is = [kind = input.front()](std::string_view kinds) {
    return kinds.find(kind) != std::string_view::npos;
  };
  const Provider& provider = is("OoF") ? chat : is("RrE") ? responses : anthropic;
  if (is("AOR")) check(provider, provider.protocol().read_reply(bytes, provider.context()));
  if (is("aor")) check_stream(provider, bytes);
  if (is("fFE"))
    for (const int status : {400, 429, 529})
      check(provider, llm::read_failure(status, bytes, provider.context()));
}

}  // namespace ba::fuzz
