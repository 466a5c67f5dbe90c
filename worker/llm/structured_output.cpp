// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/structured_output.hpp"

#include "pipeline/text/answer/closed_form.hpp"
#include "worker/http/url.hpp"

namespace ba {
namespace {

bool at_owner(const ProviderConfig& provider) {
  const std::string server = server_of(provider.base_url);
  return server == "https://api.anthropic.com" || server == "https://api.openai.com";
}

bool wanted(const ModelRequest& request, const ProtocolContext& context) {
  if (context.model.tool_calling == ToolCalling::Text) return false;  // a form of its own
  const StructuredOutputMode own = context.model.structured_output;
  const StructuredOutputMode mode =
      own == StructuredOutputMode::Auto ? context.provider.structured_output : own;
  if (mode == StructuredOutputMode::Off) return false;
  if (mode == StructuredOutputMode::Auto && !at_owner(context.provider)) return false;
  return context.provider.quirks == LlmQuirks::None || request.tools.empty();
}

}  // namespace

StructuredOutput structured_output(const ModelRequest& request, const ProtocolContext& context) {
  if (request.answer_schema.empty() || !wanted(request, context)) return {};
  const ClosedForm form = closed_form(request.answer_schema);
  return context.provider.protocol->answer_form(form);
}

}  // namespace ba
