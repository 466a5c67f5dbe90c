// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_responses/openai_responses_wire.hpp"

#include <algorithm>

#include "pipeline/text/message/job_time.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/tool_id.hpp"

namespace ba::llm {
namespace {

/// The system prompt and the system messages at the head.
std::string instructions_of(const ModelRequest& request, std::size_t leading) {
  std::string text = request.system;
  for (std::size_t i = 0; i < leading; ++i)
    add_paragraph(text, std::get<SystemMessage>(*request.messages[i]).text);
  std::string instructions;
  if (!text.empty()) write_json(instructions, R"("instructions":)", Quoted{text}, ',');
  return instructions;
}

void write_text_format(std::string& out, const ModelRequest& request,
                       const ProtocolContext& context) {
  const StructuredOutput structured = structured_output(request, context);
  if (!structured.native) return;
  out += R"(,"text":{"format":{"type":"json_schema","name":"answer","schema":)";
  out += request.answer_schema;
  out += structured.strict ? R"(,"strict":true}})" : R"(,"strict":false}})";
}

void write_settings(std::string& out, const ModelRequest& request, const ProtocolContext& context) {
  const ModelConfig& model = context.model;
  write_json(out, R"({"model":)", Quoted{model.model_id}, R"(,"store":false,)",
             context.known_refusal ? "" : kIncludeReasoning, R"("max_output_tokens":)",
             output_tokens_max(request, model));
  if (context.provider.streaming) out += R"(,"stream":true)";
  if (model.temperature) write_json(out, R"(,"temperature":)", *model.temperature);
  if (model.effort) write_json(out, R"(,"reasoning":{"effort":)", Quoted{*model.effort}, '}');
  write_text_format(out, request, context);
  out += ',';
}

/// `strict` is true where it isn't said, and then the provider makes every optional parameter a
/// required one.
void write_tools(std::string& out, const ModelRequest& request, const ModelConfig& model) {
  if (request.tools.empty()) return;
  out += R"("tools":[)";
  for (const ToolSpec& tool : request.tools) {
    if (&tool != &request.tools.front()) out += ',';
    write_json(out, R"({"type":"function","name":)", Quoted{tool.name}, R"(,"description":)",
               Quoted{tool.description}, R"(,"parameters":)", tool.parameters_schema,
               R"(,"strict":false})");
  }
  out += "],";
  if (!model.parallel_tool_calls) return;
  out += R"("parallel_tool_calls":)";
  out += *model.parallel_tool_calls ? "true," : "false,";
}

/// Writes the items of `input`.
class OpenaiResponsesWriter final : public RequestWriter {
 public:
  OpenaiResponsesWriter(const ModelRequest& request, const ProtocolContext& context)
      : origin_(extra_origin(context.provider)),
        parts_(context.provider.quirks == LlmQuirks::LlamaCpp),
        system_(request.system),
        leading_(leading_system_messages(request)),
        instructions_(instructions_of(request, leading_)),
        loose_(context.loose_thoughts) {}

  bool goes_on(const ModelRequest& request, const ProtocolContext& context) override {
    const std::size_t loose = context.loose_thoughts;
    if (request.system != system_ || !same_leading(request, leading_) ||
        std::min(loose, added_) != std::min(loose_, added_))
      return false;
    loose_ = loose;
    return true;
  }

  std::string head(const ModelRequest& request, const ProtocolContext& context) const override {
    std::string head;
    write_settings(head, request, context);
    head += instructions_;
    write_tools(head, request, context.model);
    return head;
  }

  Result<void> add(const Message& message, std::size_t place) override {
    added_ = place + 1;
    if (place < leading_) return {};
    if (const auto* reply = std::get_if<AiMessage>(&message))
      if (auto good = check_extra(*reply, place, origin_, "items"); !good) return good;
    of_loose_ = place < loose_;
    std::visit([this](const auto& one) { write(one); }, message);
    return {};
  }

  void settle(std::string& body) override {
    body += out_;
    out_.clear();
  }

  std::string end() const override {
    std::string end = out_;
    write_question(end);
    return end + "]}";
  }

  std::size_t bytes() const override {
    return sizeof(*this) + system_.size() + instructions_.size() + said_.capacity() +
           out_.capacity() + ids_.bytes();
  }

 private:
  void write(const SystemMessage& message) { add_paragraph(said_, message.text); }
  void write(const HumanMessage& message) { add_paragraph(said_, text_for_model(message)); }

  void write(const AiMessage& message) {
    flush();
    const bool own = message.extra && message.extra->provider == origin_;
    for (const ToolCall& call : message.tool_calls) ids_.add(call.id.value, own);
    if (own) return add_untouched(message.extra->json);
    if (!message.text.empty()) add_answer(message.text);
    for (const ToolCall& call : message.tool_calls) {
      begin();
      write_json(out_, R"({"type":"function_call","call_id":)", Quoted{ids_.wire(call.id.value)},
                 R"(,"name":)", Quoted{wire_tool_name(call.name)}, R"(,"arguments":)",
                 Quoted{call.args_json}, '}');
    }
  }

  void write(const ToolMessage& message) {
    flush();
    begin();
    write_json(out_, R"({"type":"function_call_output","call_id":)",
               Quoted{ids_.wire(message.tool_call_id.value)}, R"(,"output":)",
               Quoted{message.content});  // says itself that a call failed
    out_ += '}';
  }

  /// What users said since the last other item.
  void write_question(std::string& out) const {
    if (said_.empty()) return;
    if (!first_) out += ',';
    write_json(out, R"({"type":"message","role":"user","content":[{"type":"input_text","text":)",
               Quoted{said_}, "}]}");
  }

  void flush() {
    write_question(out_);
    first_ = first_ && said_.empty();
    said_.clear();
  }

  /// As a text: as parts it would need the id, the status and the annotations of its own item. But
  /// llama.cpp takes parts alone, and without these.
  void add_answer(std::string_view text) {
    begin();
    write_json(
        out_,
        parts_ ? R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":)"
               : R"({"role":"assistant","content":)",
        Quoted{text}, parts_ ? "}]}" : "}");
  }

  /// `output` is the array of items as the provider sent it. Reasoning must be followed by what it
  /// led to: of a reply that was cut while thinking there is none, and the provider refuses it.
  void add_untouched(std::string_view output) {
    const auto json = JsonView::parse(output);
    if (!json) return;  // checked before
    std::vector<JsonView> items;
    std::size_t kept = 0;
    json->for_each_element([&](JsonView item) {
      items.push_back(item);
      if (!item["type"].equals("reasoning")) kept = items.size();
    });
    for (std::size_t i = 0; i < kept; ++i) {
      if (of_loose_ && items[i]["type"].equals("reasoning")) continue;
      begin();
      add_untouched_item(items[i]);
    }
  }

  void add_untouched_item(JsonView item) {
    const std::string name = item["name"].text();
    const bool renamed = item["type"].equals("function_call") && wire_tool_name(name) != name;
    if (!renamed && !of_loose_) {
      out_ += item.raw();
      return;
    }
    out_ += '{';
    if (renamed) write_json(out_, R"("name":)", Quoted{wire_tool_name(name)});
    item.for_each_member([&](std::string_view key, JsonView value) {
      // An item is known by its id, and asked for the reasoning that led to it.
      if ((renamed && key == "name") || (of_loose_ && key == "id")) return;
      append_member(out_, key, value.raw());
    });
    out_ += '}';
  }

  void begin() {
    if (!first_) out_ += ',';
    first_ = false;
  }

  const std::string origin_;
  const bool parts_;
  const std::string system_;
  const std::size_t leading_;       ///< system messages, which join the prompt
  const std::string instructions_;  ///< both
  std::size_t loose_;               ///< the thoughts in the first so many messages are left out
  std::size_t added_ = 0;           ///< messages
  WireToolIds ids_{IdRule::Word};
  std::string out_ = R"("input":[)";
  std::string said_;       ///< by users, since the last item
  bool first_ = true;      ///< no item is written
  bool of_loose_ = false;  ///< the message that is being written
};

}  // namespace

std::unique_ptr<RequestWriter> openai_responses_writer(const ModelRequest& request,
                                                       const ProtocolContext& context) {
  return std::make_unique<OpenaiResponsesWriter>(request, context);
}

}  // namespace ba::llm
