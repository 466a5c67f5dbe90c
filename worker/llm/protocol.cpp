// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/protocol.hpp"

#include <strings.h>

#include <algorithm>

#include "worker/http/url.hpp"
#include "worker/llm/failure_body.hpp"
#include "worker/llm/failure_table.hpp"

namespace ba {
namespace {

/// Instead of a header of the same name, or beside the others.
void put(HttpHeaders& headers, const std::string& name, const Secret& value) {
  const auto at = std::find_if(headers.begin(), headers.end(), [&](const auto& header) {
    return strcasecmp(header.first.c_str(), name.c_str()) == 0;
  });
  if (at == headers.end())
    headers.emplace_back(name, value);
  else
    at->second = value;
}

}  // namespace

std::string Protocol::url(const ProviderConfig& provider) const {
  return api_url(provider.base_url, traits().path);
}

HttpHeaders Protocol::headers(const ProviderConfig& provider) const {
  if (provider.api_key.empty()) return {};
  return {{"authorization", Secret("Bearer " + provider.api_key.reveal())}};
}

Result<ProtocolReply> Protocol::read_reply(std::string_view body,
                                           const ProtocolContext& context) const {
  const auto json = JsonView::parse(body);
  if (!json)
    return malformed_reply("the body is " + std::string(what_it_is_instead(body)) + ": " +
                           json.error().message);
  return read_whole(*json, context);
}

std::optional<std::string> Protocol::repaired_body(const Error& /*error*/,
                                                   std::string_view /*body*/) const {
  return std::nullopt;
}

bool Protocol::refuses_always(const Error& /*error*/) const { return false; }

ThinkingBonds::Rules Protocol::thinking_rules(const ModelConfig& /*model*/) const { return {}; }

std::string_view Protocol::temperature_fault(const ProviderConfig& /*provider*/,
                                             const ModelConfig& /*model*/) const {
  return {};
}

std::optional<std::string> Protocol::thought_beside(const ToolCall& /*call*/,
                                                    std::string_view /*thought*/,
                                                    const ProviderConfig& /*provider*/,
                                                    const ModelConfig& /*model*/) const {
  return std::nullopt;
}

std::optional<BetterProtocol> Protocol::better_protocol(const ProviderConfig& /*provider*/,
                                                        const ModelConfig& /*model*/) const {
  return std::nullopt;
}

std::int64_t output_tokens_max(const ModelRequest& request, const ModelConfig& model) {
  constexpr std::int64_t kLeast = 16;  // of OpenAI's Responses
  const std::int64_t wanted =
      request.max_output_tokens > 0 ? request.max_output_tokens : model.max_output_tokens;
  if (request.output_ceiling <= 0) return wanted;
  const std::int64_t thinking = model.thinking ? model.thinking->budget_tokens : 0;
  const std::int64_t least = thinking + kLeast;
  return std::min(wanted, std::max(request.output_ceiling, least));
}

HttpHeaders request_headers(const ProviderConfig& provider) {
  HttpHeaders headers = provider.protocol->headers(provider);
  put(headers, "content-type", Secret("application/json"));
  put(headers, "user-agent", Secret("ba-agent"));
  for (const auto& [name, value] : provider.headers) put(headers, name, value);
  return headers;
}

std::string extra_origin(const ProviderConfig& provider) {
  return std::string(provider.protocol->name()) + "/" + provider.name;
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
