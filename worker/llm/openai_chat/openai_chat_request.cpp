// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/openai_chat_wire.hpp"

#include "pipeline/text/message/job_time.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/react_text/react_request.hpp"
#include "worker/llm/tool_id.hpp"

namespace ba::llm {
namespace {

std::string_view max_tokens_key(const ProviderConfig& provider) {
  const bool own = provider.quirks == LlmQuirks::None;
  switch (provider.max_tokens_field) {
    case MaxTokensField::MaxTokens:
      return "max_tokens";
    case MaxTokensField::MaxCompletionTokens:
      return "max_completion_tokens";
    case MaxTokensField::Auto:
      break;
  }
  return own ? "max_completion_tokens" : "max_tokens";
}

/// A reasoning text without its text: what an earlier version kept of one that came in pieces.
bool in_pieces(JsonView details) {
  bool found = false;
  details.for_each_element([&](JsonView detail) {
    found = found || (detail["type"].equals("reasoning.text") && detail["text"].absent());
  });
  return found;
}

void write_response_format(std::string& out, const ModelRequest& request,
                           const ProtocolContext& context) {
  const StructuredOutput structured = structured_output(request, context);
  if (!structured.native) return;
  out += R"(,"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":)";
  out += request.answer_schema;
  out += structured.strict ? R"(,"strict":true}})" : R"(,"strict":false}})";
}

void write_settings(std::string& out, const ModelRequest& request, const ProtocolContext& context) {
  const ModelConfig& model = context.model;
  write_json(out, R"({"model":)", Quoted{model.model_id}, ",\"", max_tokens_key(context.provider),
             "\":", output_tokens_max(request, model));
  if (context.provider.streaming) out += R"(,"stream":true)";
  // Mistral tells the usage without being asked, and refuses what it doesn't know.
  if (context.provider.streaming && context.provider.quirks != LlmQuirks::Mistral)
    out += R"(,"stream_options":{"include_usage":true})";
  if (model.temperature) write_json(out, R"(,"temperature":)", *model.temperature);
  if (model.effort) write_json(out, R"(,"reasoning_effort":)", Quoted{*model.effort});
  // What a model invents from here on is cut off anyway; this way it isn't paid for.
  if (model.tool_calling == ToolCalling::Text) out += R"(,"stop":["\nObservation:"])";
  write_response_format(out, request, context);
  out += ',';
}

void write_tools(std::string& out, const ModelRequest& request, const ModelConfig& model) {
  if (request.tools.empty()) return;
  out += R"("tools":[)";
  for (const ToolSpec& tool : request.tools) {
    if (&tool != &request.tools.front()) out += ',';
    write_json(out, R"({"type":"function","function":{"name":)", Quoted{tool.name},
               R"(,"description":)", Quoted{tool.description});
    // "Omitting parameters defines a function with an empty parameter list."
    if (!tool.parameters_schema.empty()) out += R"(,"parameters":)";
    out += tool.parameters_schema;
    out += "}}";
  }
  out += "],";
  if (!model.parallel_tool_calls) return;
  out += R"("parallel_tool_calls":)";
  out += *model.parallel_tool_calls ? "true," : "false,";
}

class OpenaiChatWriter final : public RequestWriter {
 public:
  OpenaiChatWriter(const ModelRequest& request, const ProtocolContext& context)
      : provider_(context.provider),
        calls_in_text_(context.model.tool_calling == ToolCalling::Text),
        has_tools_(!request.tools.empty()),
        system_(system_of(request)),
        origin_(extra_origin(context.provider)),
        ids_(chat_id_rule(context.provider.quirks)),
        text_(system_) {}

  bool goes_on(const ModelRequest& request, const ProtocolContext& /*context*/) override {
    return request.tools.empty() != has_tools_ && system_of(request) == system_;
  }

  std::string head(const ModelRequest& request, const ProtocolContext& context) const override {
    std::string head;
    write_settings(head, request, context);
    if (!calls_in_text_) write_tools(head, request, context.model);
    return head;
  }

  Result<void> add(const Message& message, std::size_t /*place*/) override {
    const auto made = calls_in_text_ ? react_message(message, has_tools_) : std::nullopt;
    std::visit([this](const auto& one) { write(one); }, made ? *made : message);
    return {};
  }

  void settle(std::string& body) override {
    const std::size_t settled = out_.size() - (may_be_joined() ? kTextEnd.size() : 0);
    body.append(out_, 0, settled);
    out_.erase(0, settled);
  }

  std::string end() const override {
    std::string end = out_;
    write_text(end);
    return end + "]}";
  }

  std::size_t bytes() const override {
    return sizeof(*this) + system_.size() + text_.capacity() + out_.capacity() + ids_.bytes();
  }

 private:
  static constexpr std::string_view kTextEnd = R"("})";

  std::string system_of(const ModelRequest& request) const {
    return calls_in_text_ ? react_system(request) : request.system;
  }

  void write(const SystemMessage& message) {
    say(text_role_ == "system" ? "system" : "user", message.text);
  }
  void write(const HumanMessage& message) { say("user", text_for_model(message)); }

  void write(const AiMessage& message) {
    if (message.text.empty() && message.tool_calls.empty()) return;
    const bool own = message.extra && message.extra->provider == origin_;
    for (const ToolCall& call : message.tool_calls) ids_.add(call.id.value, own);
    flush();
    if (!begun_) say("user", kUserOpening);
    begin("assistant");
    out_ += R"(,"content":)";
    if (!message.text.empty() || provider_.quirks != LlmQuirks::None)
      append_json_string(out_, message.text);
    else
      out_ += "null";
    const JsonView extra = extra_of(message);
    extra.for_each_member([&](std::string_view key, JsonView value) {
      if (goes_back(key, value, message)) append_member(out_, key, value.raw());
    });
    if (!message.tool_calls.empty()) add_calls(message.tool_calls, extra["tool_calls"]);
    out_ += '}';
  }

  /// Whether a foreign member is written as it came. At llama.cpp the template of gpt-oss fails, as
  /// an error 500, on a message with text, reasoning and calls. Mistral refuses what it doesn't
  /// know.
  bool goes_back(std::string_view key, JsonView value, const AiMessage& message) const {
    if (key == "tool_calls" || provider_.quirks == LlmQuirks::Mistral) return false;
    if (key == "reasoning_details" && in_pieces(value)) return false;
    const bool reasoning = key == "reasoning_content" || key == "reasoning";
    if (!reasoning || provider_.quirks != LlmQuirks::LlamaCpp) return true;
    return message.text.empty() || message.tool_calls.empty();
  }

  void add_calls(const std::vector<ToolCall>& calls, JsonView extras) {
    std::vector<JsonView> extra_of_call;
    extras.for_each_element([&](JsonView extra) { extra_of_call.push_back(extra); });
    out_ += R"(,"tool_calls":[)";
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (i > 0) out_ += ',';
      write_json(out_, R"({"id":)", Quoted{ids_.wire(calls[i].id.value)},
                 R"(,"type":"function","function":{"name":)", Quoted{wire_tool_name(calls[i].name)},
                 R"(,"arguments":)", Quoted{calls[i].args_json}, '}');
      if (i < extra_of_call.size())
        extra_of_call[i].for_each_member(
            [&](std::string_view key, JsonView value) { append_member(out_, key, value.raw()); });
      out_ += '}';
    }
    out_ += ']';
  }

  void write(const ToolMessage& message) {
    begin("tool");
    write_json(out_, R"(,"tool_call_id":)", Quoted{ids_.wire(message.tool_call_id.value)},
               R"(,"content":)", Quoted{message.content});  // says itself that a call failed
    out_ += '}';
    after_tool_ = true;
  }

  /// Mistral takes no user's message behind a tool's: the text joins what the tool said.
  bool may_be_joined() const { return after_tool_ && provider_.quirks == LlmQuirks::Mistral; }

  static void join_tool_message(std::string& out, std::string_view text) {
    std::string more;
    append_json_string(more, "\n\n" + std::string(text));
    out.resize(out.size() - kTextEnd.size());
    out += more.substr(1) + "}";
  }

  void say(std::string_view role, std::string_view text) {
    if (text_role_ != role) flush();
    text_role_ = role;
    add_paragraph(text_, text);
  }

  bool joins() const { return may_be_joined() && text_role_ == "user"; }

  /// The text that was collected, as it stands where nothing follows that belongs to it.
  void write_text(std::string& out) const {
    if (text_.empty()) return;
    if (joins()) return join_tool_message(out, text_);
    open(out, text_role_);
    write_json(out, R"(,"content":)", Quoted{text_}, '}');
  }

  void flush() {
    write_text(out_);
    if (!text_.empty() && !joins()) opened(text_role_);
    text_.clear();
    text_role_ = "";
  }

  void begin(std::string_view role) {
    flush();
    open(out_, role);
    opened(role);
  }

  void open(std::string& out, std::string_view role) const {
    if (!first_) out += ',';
    write_json(out, R"({"role":")", role, '"');
  }

  void opened(std::string_view role) {
    first_ = false;
    after_tool_ = false;
    begun_ = begun_ || role != "system";
  }

  /// The reply's own extra members, to go back with it.
  JsonView extra_of(const AiMessage& message) const {
    if (!message.extra || message.extra->provider != origin_) return {};
    const auto json = JsonView::parse(message.extra->json);
    return json ? *json : JsonView();
  }

  const ProviderConfig& provider_;
  const bool calls_in_text_;  ///< not as the protocol has them
  const bool has_tools_;
  const std::string system_;
  const std::string origin_;
  WireToolIds ids_;
  std::string out_ = R"("messages":[)";
  std::string text_;                       ///< that was said last, by one role
  std::string_view text_role_ = "system";  ///< its; empty: nobody's
  bool first_ = true;                      ///< nothing was opened
  bool after_tool_ = false;                ///< the message before is a tool's
  bool begun_ = false;                     ///< by something that isn't the system's
};

}  // namespace

std::unique_ptr<RequestWriter> openai_chat_writer(const ModelRequest& request,
                                                  const ProtocolContext& context) {
  return std::make_unique<OpenaiChatWriter>(request, context);
}

}  // namespace ba::llm
