// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"

#include "worker/http/url.hpp"
#include "worker/llm/failed_reply.hpp"
#include "worker/llm/failure_body.hpp"
#include "worker/llm/openai_chat/openai_chat_reply.hpp"
#include "worker/llm/openai_chat/openai_chat_request.hpp"
#include "worker/llm/openai_chat/openai_chat_stream.hpp"

namespace ba {

std::string OpenaiChatProtocol::url(const ProviderConfig& provider) const {
  return api_url(provider.base_url, "/chat/completions");
}

std::vector<std::pair<std::string, Secret>> OpenaiChatProtocol::headers(
    const ProviderConfig& provider) const {
  std::vector<std::pair<std::string, Secret>> headers;
  if (!provider.api_key.empty())
    headers.emplace_back("authorization", Secret("Bearer " + provider.api_key.reveal()));
  return headers;
}

Result<std::string> OpenaiChatProtocol::request_body(const ModelRequest& request,
                                                     const ProtocolContext& context) const {
  return openai_chat_request(request, context);
}

Result<ProtocolReply> OpenaiChatProtocol::read_reply(std::string_view body,
                                                     const ProtocolContext& context) const {
  const auto json = JsonView::parse(body);
  if (!json)
    return malformed_reply("the body is " + std::string(what_it_is_instead(body)) + ": " +
                           json.error().message);
  OpenaiChatDraft draft;
  draft.id = (*json)["id"].text();
  draft.model = (*json)["model"].text();
  draft.read_error((*json)["error"]);
  JsonView choice;
  (*json)["choices"].for_each_element([&](JsonView candidate) {
    if (choice.absent()) choice = candidate;
  });
  draft.read_choice(choice, context.provider.resend_reasoning);
  draft.read_usage((*json)["usage"]);
  if (!draft.failure && !choice["message"].is(JsonKind::Object)) {
    draft.failure = read_error_instead_of_reply(*json);
    if (!draft.failure) return malformed_reply("choices[0].message is missing");
  }
  return finish_openai_chat_reply(std::move(draft), context);
}

std::unique_ptr<StreamReader> OpenaiChatProtocol::read_stream(
    const ProtocolContext& context) const {
  return std::make_unique<OpenaiChatStream>(context);
}

Result<ProtocolReply> OpenaiChatProtocol::read_failure(int status, std::string_view body,
                                                       const ProtocolContext& context) const {
  return failed_reply(read_failure_body(status, body), context);
}

std::optional<std::string> OpenaiChatProtocol::repaired_body(const Error& /*error*/,
                                                             std::string_view /*body*/) const {
  return std::nullopt;
}

bool OpenaiChatProtocol::refuses_always(const Error& /*error*/) const { return false; }

ThinkingBonds::Rules OpenaiChatProtocol::thinking_rules(const ModelConfig& /*model*/) const {
  return {};
}

}  // namespace ba
