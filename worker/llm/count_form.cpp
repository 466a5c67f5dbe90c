// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/count_form.hpp"

#include <algorithm>

#include "pipeline/text/message/json_text.hpp"
#include "worker/http/url.hpp"

namespace ba {
namespace {

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

/// A schema that a protocol leaves out is that of a tool without arguments.
ModelRequest with_schemas(const ModelRequest& request) {
  ModelRequest with = request;
  for (ToolSpec& tool : with.tools)
    if (tool.parameters_schema.empty()) tool.parameters_schema = R"({"type":"object"})";
  return with;
}

}  // namespace

HttpHeaders CountForm::headers(const ProviderConfig& provider, std::string_view /*url*/) const {
  return request_headers(provider);
}

std::string ProtocolCountForm::url(const ProviderConfig& provider,
                                   const ModelConfig& /*model*/) const {
  return api_url(provider.base_url, question_.path);
}

std::string ProtocolCountForm::text_question(const std::string& model_id,
                                             std::string_view text) const {
  std::string body = R"({"model":)";
  append_json_string(body, model_id);
  body += question_.before_text;
  append_json_string(body, text);
  body += question_.behind_text;
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

}  // namespace ba
