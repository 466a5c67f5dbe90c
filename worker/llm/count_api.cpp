// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/count_api.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "pipeline/base/lower_case.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "worker/http/url.hpp"
#include "worker/llm/gemini_count.hpp"
#include "worker/llm/openai_model.hpp"
#include "worker/llm/react_text/react_request.hpp"

namespace ba {
namespace {

constexpr std::string_view kAnthropic = "anthropic";
constexpr std::string_view kOpenai = "openai";
constexpr std::string_view kGemini = "gemini";

constexpr const char* kGoogleKey = "x-goog-api-key";

constexpr std::string_view kAnthropicEnd = "/count_tokens";
constexpr std::string_view kResponsesEnd = "/input_tokens";
constexpr std::string_view kGeminiEnd = ":countTokens";

// What an endpoint takes of a request's members; it refuses others.
constexpr std::array<std::string_view, 7> kAnthropicMembers{
    "model", "messages", "system", "tools", "tool_choice", "thinking", "output_config"};
constexpr std::array<std::string_view, 8> kResponsesMembers{
    "model",     "input", "instructions", "tools", "tool_choice", "parallel_tool_calls",
    "reasoning", "text"};
constexpr std::array<std::string_view, 3> kChatMembers{"model", "messages", "tools"};

/// No request has more: an answer that says so is no count.
constexpr std::int64_t kCountMax = std::int64_t{1} << 40;

bool is_url(std::string_view named) { return named.find("://") != named.npos; }

CountForm form_of(LlmProtocol protocol) {
  switch (protocol) {
    case LlmProtocol::Anthropic:
      return CountForm::Anthropic;
    case LlmProtocol::OpenaiChat:
      return CountForm::Chat;
    case LlmProtocol::OpenaiResponses:
      break;
  }
  return CountForm::Responses;
}

CountForm form_of_url(std::string_view url, LlmProtocol protocol) {
  if (url.ends_with(kAnthropicEnd)) return CountForm::Anthropic;
  if (url.ends_with(kResponsesEnd)) return CountForm::Responses;
  return url.ends_with(kGeminiEnd) ? CountForm::Gemini : form_of(protocol);
}

bool is_gemini_host(const ProviderConfig& provider) {
  return server_of(provider.base_url).find("//generativelanguage.googleapis.com") !=
         std::string::npos;
}

/// Who is known to count for a provider; empty: nobody.
std::string_view known_api(const ProviderConfig& provider) {
  if (provider.protocol == LlmProtocol::Anthropic) return kAnthropic;
  if (provider.protocol == LlmProtocol::OpenaiResponses) return kOpenai;
  if (is_openai_host(provider.base_url)) return kOpenai;
  return is_gemini_host(provider) ? kGemini : std::string_view();
}

bool fits(std::string_view api, const ProviderConfig& provider) {
  if (api == kAnthropic) return provider.protocol == LlmProtocol::Anthropic;
  if (api == kGemini) return provider.protocol == LlmProtocol::OpenaiChat;
  return api == kOpenai && provider.protocol != LlmProtocol::Anthropic;
}

Error no_fit(std::string_view api, const ProviderConfig& provider) {
  const std::string_view known = known_api(provider);
  std::string what = api.empty() ? "nobody is known who counts for it"
                                 : "\"" + std::string(api) + "\" doesn't count for it";
  what += ": its provider \"" + provider.name + "\" speaks " +
          std::string(name_of(kLlmProtocolNames, provider.protocol)) +
          "; exact_counting_api may be ";
  if (!known.empty()) what += "\"" + std::string(known) + "\" or ";
  return invalid_argument(what + "a URL that counts (http(s)://host[:port]/path)");
}

CountApi named_api(std::string_view api, const ProviderConfig& provider, const ModelConfig& model) {
  if (api == kAnthropic)
    return {CountForm::Anthropic, api_url(provider.base_url, "/messages/count_tokens")};
  if (api == kOpenai)
    return {CountForm::Responses, api_url(provider.base_url, "/responses/input_tokens")};
  return {CountForm::Gemini, gemini_count_url(provider.base_url, model.model_id)};
}

std::string kept(std::string_view body, std::span<const std::string_view> members) {
  std::string out = "{";
  JsonView::of_proven(body).for_each_member([&](std::string_view key, JsonView value) {
    if (std::ranges::find(members, key) == members.end()) return;
    if (out.size() > 1) out += ',';
    out += '"';
    out += key;
    out += "\":";
    out += value.raw();
  });
  return out + "}";
}

/// In another protocol than its provider's, a request has nothing that only that one understands.
Result<std::string> written_as(LlmProtocol protocol, const ModelRequest& request,
                               const ProtocolContext& context,
                               std::span<const std::string_view> members) {
  ProviderConfig provider = context.provider;
  provider.protocol = protocol;
  ProtocolContext as{provider, context.model, context.limits};
  as.loose_thoughts = context.loose_thoughts;
  const Result<std::string> body = protocol_of(protocol).request_body(request, as);
  if (!body) return body.error();
  return kept(*body, members);
}

/// A schema that a protocol leaves out is that of a tool without arguments.
ModelRequest with_schemas(const ModelRequest& request) {
  ModelRequest with = request;
  for (ToolSpec& tool : with.tools)
    if (tool.parameters_schema.empty()) tool.parameters_schema = R"({"type":"object"})";
  return with;
}

Result<std::string> form_to_count(const CountApi& api, const ModelRequest& request,
                                  const ProtocolContext& context) {
  switch (api.form) {
    case CountForm::Anthropic:
      return written_as(LlmProtocol::Anthropic, with_schemas(request), context, kAnthropicMembers);
    case CountForm::Responses:
      return written_as(LlmProtocol::OpenaiResponses, with_schemas(request), context,
                        kResponsesMembers);
    case CountForm::Chat:
      return written_as(LlmProtocol::OpenaiChat, request, context, kChatMembers);
    case CountForm::Gemini:
      break;
  }
  return gemini_request_to_count(request, context.model.model_id, is_vertex(api.url));
}

}  // namespace

bool is_count_api(std::string_view named) {
  return named.empty() || named == kAnthropic || named == kOpenai || named == kGemini ||
         (is_url(named) && is_http_url(named));
}

Result<CountApi> count_api(const ProviderConfig& provider, const ModelConfig& model,
                           std::string_view named) {
  if (is_url(named)) {
    if (!is_http_url(named)) return invalid_argument("exact_counting_api is not an HTTP URL");
    return CountApi{form_of_url(named, provider.protocol), std::string(named),
                    same_server(named, provider.base_url)};
  }
  const std::string_view api = named.empty() ? known_api(provider) : named;
  if (!fits(api, provider)) return no_fit(named, provider);
  return named_api(api, provider, model);
}

std::vector<std::pair<std::string, Secret>> count_headers(const CountApi& api,
                                                          const ProviderConfig& provider) {
  if (!api.trusted)
    return {{"content-type", Secret("application/json")}, {"user-agent", Secret("ba-agent")}};
  auto headers = request_headers(provider);
  if (api.form != CountForm::Gemini || is_vertex(api.url) || provider.api_key.empty())
    return headers;
  // Its own API takes the key by another name than the one that is compatible with OpenAI's.
  std::erase_if(headers, [](const auto& one) {
    const std::string name = lower_case(one.first);
    return name == "authorization" || name == kGoogleKey;
  });
  headers.emplace_back(kGoogleKey, provider.api_key);
  return headers;
}

std::string text_to_count(const CountApi& api, const std::string& model_id, std::string_view text) {
  if (api.form == CountForm::Gemini) return gemini_text_to_count(text);
  std::string body = R"({"model":)";
  append_json_string(body, model_id);
  const bool responses = api.form == CountForm::Responses;
  body += responses ? R"(,"input":)" : R"(,"messages":[{"role":"user","content":)";
  append_json_string(body, text);
  return body + (responses ? "}" : "}]}");
}

Result<std::string> request_to_count(const CountApi& api, const ModelRequest& request,
                                     const ProtocolContext& context) {
  // Chat completions rewrite such a request themselves.
  if (context.model.tool_calling == ToolCalling::Text && api.form != CountForm::Chat)
    return form_to_count(api, ReactRequest(request).request(), context);
  return form_to_count(api, request, context);
}

Result<std::int64_t> read_count(std::string_view body) {
  constexpr std::array<std::string_view, 4> kNames{"input_tokens", "totalTokens", "count",
                                                   "total_tokens"};
  Error error;
  error.code = ErrorCode::Protocol;
  error.message = "answered without a count (input_tokens, totalTokens, count)";
  const auto json = JsonView::parse(body);
  if (!json) return error;
  for (const std::string_view name : kNames)
    if (const auto count = (*json)[name].integer(); count && *count >= 0 && *count <= kCountMax)
      return *count;
  return error;
}

}  // namespace ba
