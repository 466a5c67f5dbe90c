// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/carrier/formats.hpp"
#include "pipeline/text/carrier/kept_form.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

constexpr CarrierFormat kOwn = CarrierFormat::Openai;

class Writer {
 public:
  explicit Writer(const CarrierOutput& out) : reader_(out.reader), text_(out.text) {}

  void write(const std::vector<Message>& messages) {
    text_.messages = "[";
    for (std::size_t i = 0; i < messages.size(); ++i) {
      field_ = message_field(i);
      count_losses(text_.losses, messages[i], kOwn, kOpenaiChatProtocol, field_);
      std::visit([this](const auto& message) { add(message); }, messages[i]);
    }
    text_.messages += ']';
  }

 private:
  void add(const SystemMessage& message) {
    ObjectWriter out(next_element(text_.messages));
    out.text("role", openai_role(message));
    write_text(out, message.meta, message.text);
  }

  void add(const HumanMessage& message) {
    ObjectWriter out(next_element(text_.messages));
    out.text("role", "user");
    write_text(out, message.meta, message.text);
  }

  void add(const ToolMessage& message) {
    if (message.status == ToolStatus::Error)
      text_.losses.add("the status of a failed call", field_);
    ObjectWriter out(next_element(text_.messages));
    out.text("role", "tool");
    out.text("tool_call_id", message.tool_call_id.value);
    write_text(out, message.meta, message.content);
  }

  void write_text(ObjectWriter& out, const MessageMeta& meta, const std::string& text) {
    write_own_content(out, meta, text);
    out.members(kept_members(meta, kOwn));
  }

  void write_own_content(ObjectWriter& out, const MessageMeta& meta, const std::string& text) {
    write_content(out, "content", kept_content(reader_, meta, kOwn, text, field_), text);
  }

  void add(const AiMessage& message) {
    const JsonView extra = extra_of(message, kOpenaiChatProtocol);
    ObjectWriter out(next_element(text_.messages));
    out.text("role", "assistant");
    if (message.text.empty() && !message.tool_calls.empty())
      out.raw("content", "null");
    else
      write_own_content(out, message.meta, message.text);
    // Adapters may keep these two as they came; thinking says the same.
    out.members(members_but(extra, {"tool_calls", "reasoning_content", "reasoning"}));
    out.text_if_any("reasoning_content", message.thinking);
    if (!message.tool_calls.empty()) write_calls(out, message, extra["tool_calls"]);
  }

  void write_calls(ObjectWriter& out, const AiMessage& message, JsonView extras) {
    std::vector<JsonView> of_call;
    extras.for_each_element([&](JsonView extra) { of_call.push_back(extra); });
    std::string calls = "[";
    for (std::size_t i = 0; i < message.tool_calls.size(); ++i) {
      const ToolCall& call = message.tool_calls[i];
      ObjectWriter json(next_element(calls));
      json.text("id", call.id.value);
      json.text("type", "function");
      {
        ObjectWriter function(json.member("function"));
        function.text("name", call.name);
        function.text("arguments", arguments_text(text_.losses, call, field_));
      }
      if (i < of_call.size()) json.members(members_but(of_call[i], {}));
    }
    out.raw("tool_calls", calls + "]");
  }

  FieldReader& reader_;
  CarrierText& text_;
  std::string field_;
};

}  // namespace

void write_openai(const CarrierOutput& out, const std::vector<Message>& messages) {
  Writer(out).write(messages);
}

}  // namespace ba
