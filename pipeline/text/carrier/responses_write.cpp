// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/carrier/formats.hpp"
#include "pipeline/text/carrier/kept_form.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

constexpr CarrierFormat kOwn = CarrierFormat::Responses;

class Writer {
 public:
  explicit Writer(const CarrierOutput& out) : reader_(out.reader), text_(out.text) {}

  void write(const std::vector<Message>& messages) {
    text_.messages = "[";
    for (std::size_t i = 0; i < messages.size(); ++i) {
      field_ = message_field(i);
      count_losses(text_.losses, messages[i], kOwn, kResponsesProtocol, field_);
      std::visit([this](const auto& message) { add(message); }, messages[i]);
    }
    text_.messages += ']';
  }

 private:
  void add(const SystemMessage& message) { say(openai_role(message), message.meta, message.text); }
  void add(const HumanMessage& message) { say("user", message.meta, message.text); }

  void say(std::string_view role, const MessageMeta& meta, const std::string& text) {
    ObjectWriter out(next_element(text_.messages));
    out.text("type", "message");
    out.text("role", role);
    write_text(out, "content", meta, text);
  }

  void write_text(ObjectWriter& out, std::string_view name, const MessageMeta& meta,
                  const std::string& text) {
    write_content(out, name, kept_content(reader_, meta, kOwn, text, field_), text);
    out.members(kept_members(meta, kOwn));
  }

  void add(const ToolMessage& message) {
    if (message.status == ToolStatus::Error)
      text_.losses.add("the status of a failed call", field_);
    ObjectWriter out(next_element(text_.messages));
    out.text("type", "function_call_output");
    out.text("call_id", message.tool_call_id.value);
    write_text(out, "output", message.meta, message.content);
  }

  void add(const AiMessage& message) {
    const JsonView untouched = extra_of(message, kResponsesProtocol);
    if (!untouched.absent()) return hand_back(untouched, message);
    if (!message.thinking.empty())
      text_.losses.add("thinking that is no reasoning item of OpenAI's", field_);
    if (!message.text.empty() || message.tool_calls.empty())
      say("assistant", MessageMeta{}, message.text);
    for (const ToolCall& call : message.tool_calls) {
      ObjectWriter out(next_element(text_.messages));
      out.text("type", "function_call");
      out.text("call_id", call.id.value);
      out.text("name", call.name);
      out.text("arguments", arguments_text(text_.losses, call, field_));
    }
  }

  void hand_back(JsonView items, const AiMessage& message) {
    items.for_each_element([&](JsonView item) { next_element(text_.messages) += item.raw(); });
    if (!has_same_calls(items, "function_call", "call_id", message))
      reader_.refuse(field_ + ".extra", "has other function_call items than the message has calls");
  }

  FieldReader& reader_;
  CarrierText& text_;
  std::string field_;
};

}  // namespace

void write_responses(const CarrierOutput& out, const std::vector<Message>& messages) {
  Writer(out).write(messages);
}

}  // namespace ba
