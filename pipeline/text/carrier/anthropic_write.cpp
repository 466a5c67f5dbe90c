// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/carrier/formats.hpp"
#include "pipeline/text/carrier/kept_form.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

constexpr CarrierFormat kOwn = CarrierFormat::Anthropic;

class Writer {
 public:
  explicit Writer(const CarrierOutput& out) : reader_(out.reader), text_(out.text) {
    text_.messages = "[";
  }

  void write(const std::vector<Message>& messages) {
    const std::size_t first = write_system(messages);
    for (std::size_t i = first; i < messages.size(); ++i) {
      field_ = message_field(i);
      count_losses(text_.losses, messages[i], kOwn, kAnthropicProtocol, field_);
      if (!std::holds_alternative<ToolMessage>(messages[i])) end_results();
      std::visit([this](const auto& message) { add(message); }, messages[i]);
    }
    end_results();
    text_.messages += ']';
  }

 private:
  /// What comes before everything else is the system prompt. Returns how many messages that are.
  std::size_t write_system(const std::vector<Message>& messages) {
    std::string blocks = "[";
    std::size_t count = 0;
    bool plain = true;
    for (; count < messages.size(); ++count) {
      const auto* message = std::get_if<SystemMessage>(&messages[count]);
      if (message == nullptr) break;
      field_ = message_field(count);
      count_losses(text_.losses, messages[count], kOwn, kAnthropicProtocol, field_);
      const std::string members = kept_members(message->meta, kOwn);
      plain = plain && members.empty() && !message->text.empty();
      text_block(next_element(blocks), message->text, members);
    }
    if (count == 1 && plain)
      append_json_string(text_.system, std::get<SystemMessage>(messages[0]).text);
    else if (count > 0)
      text_.system = blocks + "]";
    return count;
  }

  static void text_block(std::string& out, std::string_view text, const std::string& members) {
    ObjectWriter block(out);
    block.text("type", "text");
    block.text("text", text);
    block.members(members);
  }

  void add(const SystemMessage& message) { say("system", message.meta, message.text); }
  void add(const HumanMessage& message) { say("user", message.meta, message.text); }

  void say(std::string_view role, const MessageMeta& meta, const std::string& text) {
    const JsonView kept = kept_content(reader_, meta, kOwn, text, field_);
    ObjectWriter out(next_element(text_.messages));
    out.text("role", role);
    std::string& content = out.member("content");
    if (kept.absent()) {
      content += '[';
      text_block(content, text, "");
      content += ']';
    } else {
      content += kept.raw();
    }
    out.members(kept_members(meta, kOwn));
  }

  void add(const AiMessage& message) {
    const JsonView untouched = extra_of(message, kAnthropicProtocol);
    ObjectWriter out(next_element(text_.messages));
    out.text("role", "assistant");
    std::string& content = out.member("content");
    if (untouched.absent()) {
      write_blocks(content, message);
    } else {
      if (!has_same_calls(untouched, "tool_use", "id", message))
        reader_.refuse(field_ + ".extra", "has other tool_use blocks than the message has calls");
      content += untouched.raw();
    }
    out.members(kept_members(message.meta, kOwn));
  }

  /// Thoughts without the signature of who thought them are refused there, so they stay out.
  void write_blocks(std::string& content, const AiMessage& message) {
    if (!message.thinking.empty())
      text_.losses.add("thinking that Anthropic has not signed", field_);
    std::string blocks = "[";
    if (!message.text.empty()) text_block(blocks, message.text, "");
    for (const ToolCall& call : message.tool_calls) {
      if (!call.valid()) text_.losses.add("arguments that are no JSON object", field_);
      ObjectWriter block(next_element(blocks));
      block.text("type", "tool_use");
      block.text("id", call.id.value);
      block.text("name", call.name);
      block.raw("input", call.args_json);
    }
    content += blocks + "]";
  }

  /// All results of a message stand in one user's message.
  void add(const ToolMessage& message) {
    const JsonView kept = kept_content(reader_, message.meta, kOwn, message.content, field_);
    if (results_.empty()) results_ = "[";
    ObjectWriter block(next_element(results_));
    block.text("type", "tool_result");
    block.text("tool_use_id", message.tool_call_id.value);
    write_content(block, "content", kept, message.content);
    if (message.status == ToolStatus::Error) block.raw("is_error", "true");
    block.members(kept_members(message.meta, kOwn));
  }

  void end_results() {
    if (results_.empty()) return;
    ObjectWriter out(next_element(text_.messages));
    out.text("role", "user");
    out.raw("content", results_ + "]");
    results_.clear();
  }

  FieldReader& reader_;
  CarrierText& text_;
  std::string field_;
  std::string results_;  // of the calls before; empty: none yet
};

}  // namespace

void write_anthropic(const CarrierOutput& out, const std::vector<Message>& messages) {
  Writer(out).write(messages);
}

}  // namespace ba
