// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_responses/openai_responses_wire.hpp"

#include "pipeline/text/message/job_time.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/tool_id.hpp"

namespace ba::llm {
namespace {

/// Writes the items of `input`.
class ItemWriter {
 public:
  ItemWriter(std::string& out, const ProviderConfig& provider)
      : out_(out),
        origin_(extra_origin(provider)),
        parts_(provider.quirks == LlmQuirks::LlamaCpp) {}

  /// Without what was thought in the first `loose` of all messages.
  void write(const std::vector<const Message*>& messages, std::size_t from, std::size_t loose) {
    out_ += R"("input":[)";
    for (std::size_t i = from; i < messages.size(); ++i) {
      loose_ = i < loose;
      std::visit([this](const auto& message) { add(message); }, *messages[i]);
    }
    flush();
    out_ += ']';
  }

 private:
  void add(const SystemMessage& message) { add_paragraph(said_, message.text); }
  void add(const HumanMessage& message) { add_paragraph(said_, text_for_model(message)); }

  void add(const AiMessage& message) {
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

  void add(const ToolMessage& message) {
    flush();
    begin();
    write_json(out_, R"({"type":"function_call_output","call_id":)",
               Quoted{ids_.wire(message.tool_call_id.value)}, R"(,"output":)",
               Quoted{message.content});  // says itself that a call failed
    out_ += '}';
  }

  void add_question(std::string_view text) {
    begin();
    write_json(out_, R"({"type":"message","role":"user","content":[{"type":"input_text","text":)",
               Quoted{text}, "}]}");
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
    if (!json) return;  // checked before: see check_extras
    std::vector<JsonView> items;
    std::size_t kept = 0;
    json->for_each_element([&](JsonView item) {
      items.push_back(item);
      if (!item["type"].equals("reasoning")) kept = items.size();
    });
    for (std::size_t i = 0; i < kept; ++i) {
      if (loose_ && items[i]["type"].equals("reasoning")) continue;
      begin();
      add_untouched_item(items[i]);
    }
  }

  void add_untouched_item(JsonView item) {
    const std::string name = item["name"].text();
    const bool renamed = item["type"].equals("function_call") && wire_tool_name(name) != name;
    if (!renamed && !loose_) {
      out_ += item.raw();
      return;
    }
    out_ += '{';
    if (renamed) write_json(out_, R"("name":)", Quoted{wire_tool_name(name)});
    item.for_each_member([&](std::string_view key, JsonView value) {
      // An item is known by its id, and asked for the reasoning that led to it.
      if ((renamed && key == "name") || (loose_ && key == "id")) return;
      append_member(out_, key, value.raw());
    });
    out_ += '}';
  }

  /// Writes what users said since the last other item.
  void flush() {
    if (!said_.empty()) add_question(said_);
    said_.clear();
  }

  void begin() {
    if (!out_.ends_with('[')) out_ += ',';
  }

  std::string& out_;
  const std::string origin_;
  const bool parts_;
  WireToolIds ids_{IdRule::Word};
  bool loose_ = false;  ///< the message that is being written
  std::string said_;
};

/// The system prompt and the system messages at the head; how many of those there are.
std::size_t write_instructions(std::string& out, const ModelRequest& request) {
  std::string text = request.system;
  std::size_t leading = 0;
  for (; leading < request.messages.size(); ++leading) {
    const auto* message = std::get_if<SystemMessage>(request.messages[leading]);
    if (message == nullptr) break;
    add_paragraph(text, message->text);
  }
  if (text.empty()) return leading;
  write_json(out, R"("instructions":)", Quoted{text}, ',');
  return leading;
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
  write_json(out, R"({"model":)", Quoted{model.model_id}, R"(,"store":false,)", kIncludeReasoning,
             R"("max_output_tokens":)", output_tokens_max(request, model));
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

}  // namespace

Result<std::string> openai_responses_request(const ModelRequest& request,
                                             const ProtocolContext& context) {
  if (auto valid = check_history(request); !valid) return valid.error();
  if (auto result = check_extras(request.messages, context.provider, "items"); !result)
    return result.error();
  std::string out;
  write_settings(out, request, context);
  const std::size_t leading = write_instructions(out, request);
  write_tools(out, request, context.model);
  ItemWriter(out, context.provider).write(request.messages, leading, context.loose_thoughts);
  out += '}';
  return out;
}

}  // namespace ba::llm
