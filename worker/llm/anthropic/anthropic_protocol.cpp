// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/anthropic/anthropic_protocol.hpp"

#include "worker/http/url.hpp"
#include "worker/llm/anthropic/anthropic_reply.hpp"
#include "worker/llm/anthropic/anthropic_request.hpp"
#include "worker/llm/anthropic/anthropic_stream.hpp"
#include "worker/llm/failed_reply.hpp"
#include "worker/llm/failure_body.hpp"

namespace ba {
namespace {

/// From this date on; dates of this form compare as texts.
constexpr std::string_view kBearerVersion = "2026-10-21";
constexpr std::string_view kThinkingBound = "bound to a different conversation";

}  // namespace

std::string AnthropicProtocol::url(const ProviderConfig& provider) const {
  return api_url(provider.base_url, "/messages");
}

std::vector<std::pair<std::string, Secret>> AnthropicProtocol::headers(
    const ProviderConfig& provider) const {
  std::vector<std::pair<std::string, Secret>> headers;
  headers.emplace_back("anthropic-version", Secret(provider.api_version));
  if (provider.api_key.empty()) return headers;
  if (provider.api_version >= kBearerVersion)
    headers.emplace_back("authorization", Secret("Bearer " + provider.api_key.reveal()));
  else
    headers.emplace_back("x-api-key", provider.api_key);
  return headers;
}

Result<std::string> AnthropicProtocol::request_body(const ModelRequest& request,
                                                    const ProtocolContext& context) const {
  return anthropic_request(request, context);
}

Result<ProtocolReply> AnthropicProtocol::read_reply(std::string_view body,
                                                    const ProtocolContext& context) const {
  const auto json = JsonView::parse(body);
  if (!json)
    return malformed_reply("the body is " + std::string(what_it_is_instead(body)) + ": " +
                           json.error().message);
  const JsonView content = (*json)["content"];
  const JsonView error = (*json)["error"];
  if (says_error(error)) return failed_reply_of_200(read_reported_error(error), false, context);
  if (!content.is(JsonKind::Array)) {
    if (const auto failure = read_error_instead_of_reply(*json))
      return failed_reply_of_200(*failure, false, context);
    return malformed_reply("content is not an array of blocks");
  }
  AnthropicDraft draft;
  draft.read_message(*json);
  bool objects = true;
  content.for_each_element([&](JsonView block) {
    objects = objects && block.is(JsonKind::Object);
    draft.blocks.push_back(read_anthropic_block(block));
  });
  if (!objects) return malformed_reply("a block is not an object");
  return finish_anthropic_reply(std::move(draft), context);
}

std::unique_ptr<StreamReader> AnthropicProtocol::read_stream(const ProtocolContext& context) const {
  return std::make_unique<AnthropicStream>(context);
}

Result<ProtocolReply> AnthropicProtocol::read_failure(int status, std::string_view body,
                                                      const ProtocolContext& context) const {
  return failed_reply(read_failure_body(status, body), context);
}

std::optional<std::string> AnthropicProtocol::repaired_body(const Error& error,
                                                            std::string_view body) const {
  if (error.message.find(kThinkingBound) == std::string::npos) return std::nullopt;
  std::string repaired = without_thinking(body);
  if (repaired == body) return std::nullopt;
  return repaired;
}

bool AnthropicProtocol::refuses_always(const Error& /*error*/) const { return false; }

ThinkingBonds::Rules AnthropicProtocol::thinking_rules(const ModelConfig& model) const {
  const bool enabled = model.thinking && model.thinking->mode == ThinkingMode::Enabled;
  return {.bound = true, .turn_stays = enabled};
}

}  // namespace ba
