// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/protocol.hpp"

#include <strings.h>

#include <algorithm>

#include "pipeline/base/assert.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/failure_table.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

namespace ba {
namespace {

using Headers = std::vector<std::pair<std::string, Secret>>;

/// Instead of a header of the same name, or beside the others.
void put(Headers& headers, const std::string& name, const Secret& value) {
  const auto at = std::find_if(headers.begin(), headers.end(), [&](const auto& header) {
    return strcasecmp(header.first.c_str(), name.c_str()) == 0;
  });
  if (at == headers.end())
    headers.emplace_back(name, value);
  else
    at->second = value;
}

}  // namespace

std::int64_t output_tokens_max(const ModelRequest& request, const ModelConfig& model) {
  constexpr std::int64_t kLeast = 16;  // of OpenAI's Responses
  const std::int64_t wanted =
      request.max_output_tokens > 0 ? request.max_output_tokens : model.max_output_tokens;
  if (request.output_ceiling <= 0) return wanted;
  const std::int64_t thinking = model.thinking ? model.thinking->budget_tokens : 0;
  const std::int64_t least = thinking + kLeast;
  return std::min(wanted, std::max(request.output_ceiling, least));
}

const Protocol& protocol_of(LlmProtocol protocol) {
  static const AnthropicProtocol anthropic;
  static const OpenaiChatProtocol openai_chat;
  static const OpenaiResponsesProtocol openai_responses;
  switch (protocol) {  // without a default: a new protocol that is missing here does not compile
    case LlmProtocol::Anthropic:
      return anthropic;
    case LlmProtocol::OpenaiChat:
      return openai_chat;
    case LlmProtocol::OpenaiResponses:
      return openai_responses;
  }
  BA_ASSERT(false && "a protocol that has no name");
}

Headers request_headers(const ProviderConfig& provider) {
  Headers headers = protocol_of(provider.protocol).headers(provider);
  put(headers, "content-type", Secret("application/json"));
  put(headers, "user-agent", Secret("ba-agent"));
  for (const auto& [name, value] : provider.headers) put(headers, name, value);
  return headers;
}

std::string extra_origin(const ProviderConfig& provider) {
  return std::string(name_of(kLlmProtocolNames, provider.protocol)) + "/" + provider.name;
}

Error too_long_reply(std::string_view what, const LlmLimits& limits) {
  Error error;
  error.code = ErrorCode::LimitExceeded;
  error.retry = Retry::Never;
  error.message = std::string(what) + " longer than llm.limits.reply_bytes_max, " +
                  std::to_string(limits.reply_bytes_max);
  error.detail = "too long";
  error.maybe_done = true;
  return error;
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
