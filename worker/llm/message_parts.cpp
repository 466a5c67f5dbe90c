// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/message_parts.hpp"

#include "pipeline/text/answer/closed_form.hpp"
#include "pipeline/text/message/validate.hpp"
#include "worker/http/url.hpp"

namespace ba::llm {
namespace {

bool at_owner(const ProviderConfig& provider) {
  const std::string server = http::server_of(provider.base_url);
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

Result<void> check_history(const ModelRequest& request) {
  if (request.memory == nullptr) return validate_history(request.messages, HistoryEnd::Answered);
  return request.memory->check.check(request.messages, HistoryEnd::Answered);
}

void append_member(std::string& object, std::string_view key, std::string_view value) {
  if (!object.ends_with('{')) object += ',';
  write_json(object, '"', key, "\":", value);
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

void add_paragraph(std::string& text, std::string_view more) {
  if (!text.empty() && !more.empty()) text += "\n\n";
  text += more;
}

StructuredOutput structured_output(const ModelRequest& request, const ProtocolContext& context) {
  if (request.answer_schema.empty() || !wanted(request, context)) return {};
  const ClosedForm form = closed_form(request.answer_schema);
  return context.provider.protocol->answer_form(form);
}

}  // namespace ba::llm
