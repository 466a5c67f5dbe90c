// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/count_form.hpp"

#include <algorithm>
#include <array>

#include "worker/http/url.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/react_text/react_request.hpp"

namespace ba::llm {
namespace {

std::string kept(std::string_view body, std::span<const std::string_view> members) {
  std::string out = "{";
  JsonView::of_proven(body).for_each_member([&](std::string_view key, JsonView value) {
    if (std::ranges::find(members, key) != members.end()) append_member(out, key, value.raw());
  });
  return out + "}";
}

/// A schema that a protocol leaves out is that of a tool without arguments.
ModelRequest with_schemas(const ModelRequest& request) {
  std::vector<ToolSpec> tools = request.tools;
  for (ToolSpec& tool : tools)
    if (tool.parameters_schema.empty()) tool.parameters_schema = R"({"type":"object"})";
  ModelRequest with = request;
  with.tools = std::move(tools);
  return with;
}

/// No request has more: an answer that says so is no count.
constexpr std::int64_t kCountMax = std::int64_t{1} << 40;

bool is_url(std::string_view named) { return named.find("://") != named.npos; }

/// The first form of any protocol that is so; null: none is.
template <typename Is>
const CountForm* find_form(const Is& is) {
  for (const Protocol* protocol : protocols())
    for (const CountForm* form : protocol->counting().named)
      if (is(*form)) return form;
  return nullptr;
}

const CountForm& form_of_url(std::string_view url, const Protocol& protocol) {
  const CountForm* found = find_form([&](const CountForm& form) {
    return !form.url_end().empty() && url.ends_with(form.url_end());
  });
  return found ? *found : protocol.counting().own;
}

/// Null: nobody is known, or it doesn't fit.
const CountForm* form_named(std::string_view name, const ProviderConfig& provider) {
  if (name.empty()) return provider.protocol->known_counter(provider);
  const auto fitting = provider.protocol->counting().named;
  const auto at = std::ranges::find(fitting, name, &CountForm::name);
  return at == fitting.end() ? nullptr : *at;
}

Error no_fit(std::string_view api, const ProviderConfig& provider) {
  const CountForm* known = provider.protocol->known_counter(provider);
  std::string what = api.empty() ? "nobody is known who counts for it"
                                 : "\"" + std::string(api) + "\" doesn't count for it";
  what += ": its provider \"" + provider.name + "\" speaks " +
          std::string(provider.protocol->name()) + "; exact_counting_api may be ";
  if (known) what += "\"" + std::string(known->name()) + "\" or ";
  return invalid_argument(what + "a URL that counts (http(s)://host[:port]/path)");
}

}  // namespace

http::HttpHeaders CountForm::headers(const ProviderConfig& provider,
                                     std::string_view /*url*/) const {
  return request_headers(provider);
}

std::string ProtocolCountForm::url(const ProviderConfig& provider,
                                   const ModelConfig& /*model*/) const {
  return http::api_url(provider.base_url, question_.path);
}

std::string ProtocolCountForm::text_question(const std::string& model_id,
                                             std::string_view text) const {
  std::string body = R"({"model":)";
  write_json(body, Quoted{model_id}, question_.before_text, Quoted{text}, question_.behind_text);
  return body;
}

Result<std::string> ProtocolCountForm::request_question(const ModelRequest& request,
                                                        const ProtocolContext& context,
                                                        std::string_view /*url*/) const {
  // In another protocol than its provider's, it has nothing that only that one understands.
  ProviderConfig provider = context.provider;
  provider.protocol = &protocol_;
  ProtocolContext as{provider, context.model, context.limits};
  as.loose_thoughts = context.loose_thoughts;
  const Result<std::string> body = question_.needs_schemas
                                       ? protocol_.request_body(with_schemas(request), as)
                                       : protocol_.request_body(request, as);
  if (!body) return body.error();
  return kept(*body, question_.members);
}

bool is_count_api(std::string_view named) {
  if (is_url(named)) return http::is_http_url(named);
  return named.empty() || find_form([&](const CountForm& form) { return form.name() == named; });
}

Result<CountApi> count_api(const ProviderConfig& provider, const ModelConfig& model,
                           std::string_view named) {
  if (is_url(named)) {
    if (!http::is_http_url(named)) return invalid_argument("exact_counting_api is not an HTTP URL");
    return CountApi{&form_of_url(named, *provider.protocol), std::string(named),
                    http::same_server(named, provider.base_url)};
  }
  const CountForm* form = form_named(named, provider);
  if (!form) return no_fit(named, provider);
  return CountApi{form, form->url(provider, model)};
}

http::HttpHeaders count_headers(const CountApi& api, const ProviderConfig& provider) {
  if (api.trusted) return api.form->headers(provider, api.url);
  return {{"content-type", Secret("application/json")}, {"user-agent", Secret("ba-agent")}};
}

Result<std::string> request_to_count(const CountApi& api, const ModelRequest& request,
                                     const ProtocolContext& context) {
  if (context.model.tool_calling == ToolCalling::Text && !api.form->writes_text_tools())
    return api.form->request_question(ReactRequest(request).request(), context, api.url);
  return api.form->request_question(request, context, api.url);
}

Result<std::int64_t> read_count(std::string_view body) {
  constexpr std::array<std::string_view, 4> kNames{"input_tokens", "totalTokens", "count",
                                                   "total_tokens"};
  Error error = make_error(ErrorCode::Protocol,
                           "answered without a count (input_tokens, totalTokens, count)");
  const auto json = JsonView::parse(body);
  if (!json) return error;
  for (const std::string_view name : kNames)
    if (const auto count = (*json)[name].integer(); count && *count >= 0 && *count <= kCountMax)
      return *count;
  return error;
}

}  // namespace ba::llm
