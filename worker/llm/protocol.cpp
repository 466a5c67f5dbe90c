// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/protocol.hpp"

#include <strings.h>
#include <algorithm>

#include "pipeline/text/message/position.hpp"
#include "worker/http/url.hpp"
#include "worker/llm/failure_body.hpp"
#include "worker/llm/failure_table.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/request_writer.hpp"

namespace ba::llm {
namespace {

/// Instead of a header of the same name, or beside the others.
void put(http::HttpHeaders& headers, const std::string& name, const Secret& value) {
  const auto at = std::find_if(headers.begin(), headers.end(), [&](const auto& header) {
    return strcasecmp(header.first.c_str(), name.c_str()) == 0;
  });
  if (at == headers.end())
    headers.emplace_back(name, value);
  else
    at->second = value;
}

}  // namespace

ReplyPlace reply_place(const ModelRequest& request) {
  ReplyPlace place;
  for (auto message = request.messages.rbegin(); message != request.messages.rend(); ++message)
    if (const auto found =
            position_in(meta_of(**message).message_id, meta_of(**message).round_id)) {
      place.round = found->round;
      place.step = found->step + 1;
      break;
    }
  place.has_tools = !request.tools.empty();
  if (request.answer_schema.empty()) place.tools = request.tools;
  return place;
}

std::string Protocol::url(const ProviderConfig& provider) const {
  return http::api_url(provider.base_url, traits().path);
}

http::HttpHeaders Protocol::headers(const ProviderConfig& provider) const {
  if (provider.api_key.empty()) return {};
  return {{"authorization", Secret("Bearer " + provider.api_key.reveal())}};
}

Result<std::string> Protocol::request_body(const ModelRequest& request,
                                           const ProtocolContext& context) const {
  if (auto valid = check_history(request); !valid) return valid.error();
  const auto writer = request_writer(request, context);
  std::string body = writer->head(request, context);
  for (std::size_t place = 0; place < request.messages.size(); ++place) {
    if (auto added = writer->add(*request.messages[place], place); !added) return added.error();
    writer->settle(body);
  }
  body += writer->end();
  return body;
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

http::HttpHeaders request_headers(const ProviderConfig& provider) {
  http::HttpHeaders headers = provider.protocol->headers(provider);
  put(headers, "content-type", Secret("application/json"));
  put(headers, "user-agent", Secret("ba-agent"));
  for (const auto& [name, value] : provider.headers) put(headers, name, value);
  return headers;
}

std::string extra_origin(const ProviderConfig& provider) {
  return std::string(provider.protocol->name()) + "/" + provider.name;
}

Error too_long_reply(std::string_view what, const LlmLimits& limits) {
  Error error = make_error(ErrorCode::LimitExceeded,
                           std::string(what) + " longer than llm.limits.reply_bytes_max, " +
                               std::to_string(limits.reply_bytes_max));
  error.detail = "too long";
  error.maybe_done = true;
  return error;
}

Error malformed_reply(std::string what) {
  Error error = make_error(ErrorCode::Protocol, "malformed reply: " + readable(what), Retry::Later);
  error.detail = "malformed";
  error.maybe_done = true;
  return error;
}

http::HttpEndpointConfig provider_endpoint(const ProviderConfig& provider, std::string url,
                                           http::HttpHeaders headers) {
  http::HttpEndpointConfig config;
  config.url = std::move(url);
  config.headers = std::move(headers);
  config.connect_timeout = provider.timeouts.connect;
  config.proxy = provider.proxy;
  config.proxy_user = provider.proxy_user;
  config.proxy_password = provider.proxy_password;
  config.ca_file = provider.ca_file;
  return config;
}

}  // namespace ba::llm
