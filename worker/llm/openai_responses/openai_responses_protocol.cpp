// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

#include "worker/http/url.hpp"
#include "worker/llm/failed_reply.hpp"
#include "worker/llm/failure_body.hpp"
#include "worker/llm/openai_responses/openai_responses_repair.hpp"
#include "worker/llm/openai_responses/openai_responses_reply.hpp"
#include "worker/llm/openai_responses/openai_responses_request.hpp"
#include "worker/llm/openai_responses/openai_responses_stream.hpp"

namespace ba {
namespace {

constexpr std::string_view kUnreadableReasoning = "invalid_encrypted_content";
constexpr std::string_view kNothingToEncrypt = "Encrypted content is not supported";

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

std::string OpenaiResponsesProtocol::url(const ProviderConfig& provider) const {
  return api_url(provider.base_url, "/responses");
}

std::vector<std::pair<std::string, Secret>> OpenaiResponsesProtocol::headers(
    const ProviderConfig& provider) const {
  std::vector<std::pair<std::string, Secret>> headers;
  if (!provider.api_key.empty())
    headers.emplace_back("authorization", Secret("Bearer " + provider.api_key.reveal()));
  return headers;
}

Result<std::string> OpenaiResponsesProtocol::request_body(const ModelRequest& request,
                                                          const ProtocolContext& context) const {
  return openai_responses_request(request, context);
}

Result<ProtocolReply> OpenaiResponsesProtocol::read_reply(std::string_view body,
                                                          const ProtocolContext& context) const {
  const auto json = JsonView::parse(body);
  if (!json)
    return malformed_reply("the body is " + std::string(what_it_is_instead(body)) + ": " +
                           json.error().message);
  OpenaiResponsesDraft draft;
  draft.read_response(*json);
  if (!draft.failure) {
    const JsonView output = (*json)["output"];
    if (output.is(JsonKind::Array))
      draft.read_output(output);
    else if (draft.failure = read_error_instead_of_reply(*json); !draft.failure)
      return malformed_reply("output is not an array of items");
  }
  return finish_openai_responses_reply(std::move(draft), context);
}

std::unique_ptr<StreamReader> OpenaiResponsesProtocol::read_stream(
    const ProtocolContext& context) const {
  return std::make_unique<OpenaiResponsesStream>(context);
}

Result<ProtocolReply> OpenaiResponsesProtocol::read_failure(int status, std::string_view body,
                                                            const ProtocolContext& context) const {
  return failed_reply(read_failure_body(status, body), context);
}

std::optional<std::string> OpenaiResponsesProtocol::repaired_body(const Error& error,
                                                                  std::string_view body) const {
  std::string repaired(body);
  if (contains(error.detail, kUnreadableReasoning))
    repaired = without_reasoning(body);
  else if (contains(error.message, kNothingToEncrypt))
    repaired = without_include(body);
  if (repaired == body) return std::nullopt;
  return repaired;
}

/// A model that doesn't reason has nothing to encrypt at any time.
bool OpenaiResponsesProtocol::refuses_always(const Error& error) const {
  return contains(error.message, kNothingToEncrypt);
}

/// They can be read behind anything, or not at all.
ThinkingBonds::Rules OpenaiResponsesProtocol::thinking_rules(const ModelConfig& /*model*/) const {
  return {};
}

}  // namespace ba
