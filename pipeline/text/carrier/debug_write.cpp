// SPDX-License-Identifier: Apache-2.0
// The form to look at: messages of blocks with a closed list of members, absent where empty. It is
// never read.
#include <array>

#include "pipeline/base/time.hpp"
#include "pipeline/text/carrier/formats.hpp"
#include "pipeline/text/carrier/kept_form.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

constexpr std::array<std::string_view, 10> kBlockMembers{
    "type", "content", "text",        "thinking", "id",
    "name", "input",   "tool_use_id", "is_error", "cache_control"};

bool empty(JsonView value) {
  const std::string_view raw = value.raw();
  return value.absent() || raw == "\"\"" || raw == "{}" || raw == "[]" || raw == "false";
}

class BlockList {
 public:
  /// A block in Anthropic's form, in this one's order and with its members only.
  void add(JsonView block) {
    ObjectWriter out(next_element(blocks_));
    for (const std::string_view name : kBlockMembers)
      if (const JsonView value = block[name]; !empty(value)) out.raw(name, value.raw());
  }
  void add_text(std::string_view type, std::string_view member, std::string_view text,
                std::string_view more = "") {
    if (text.empty()) return;
    std::string block;
    {
      ObjectWriter out(block);
      out.text("type", type);
      out.text(member, text);
      out.members(more);
    }
    add(JsonView::of_proven(block));
  }
  void add_call(const ToolCall& call) {
    std::string block;
    {
      ObjectWriter out(block);
      out.text("type", "tool_use");
      out.text("id", call.id.value);
      out.text("name", call.name);
      out.raw("input", call.args_json);
    }
    add(JsonView::of_proven(block));
  }
  void add_result(const ToolMessage& message, std::string_view more) {
    std::string block;
    {
      ObjectWriter out(block);
      out.text("type", "tool_result");
      out.text("tool_use_id", message.tool_call_id.value);
      out.text("content", message.content);
      out.raw("is_error", message.status == ToolStatus::Error ? "true" : "false");
      out.members(more);
    }
    add(JsonView::of_proven(block));
  }
  std::string take() {
    blocks_ += ']';
    return std::move(blocks_);
  }

 private:
  std::string blocks_ = "[";
};

struct DebugMessage {
  std::string_view role;
  std::string blocks;
};

DebugMessage texts_of(std::string_view role, const MessageMeta& meta, const std::string& text) {
  BlockList blocks;
  const JsonView kept = kept_form(meta, CarrierFormat::Anthropic)["content"];
  if (kept.is(JsonKind::Array))
    kept.for_each_element([&](JsonView block) { blocks.add(block); });
  else
    blocks.add_text("text", "text", text, kept_members(meta, CarrierFormat::Anthropic));
  return {role, blocks.take()};
}

DebugMessage debug_of(const SystemMessage& message) {
  return texts_of("system", message.meta, message.text);
}
DebugMessage debug_of(const HumanMessage& message) {
  return texts_of("user", message.meta, message.text);
}

DebugMessage debug_of(const AiMessage& message) {
  BlockList blocks;
  const JsonView untouched = extra_of(message, kAnthropicProtocol);
  if (untouched.is(JsonKind::Array)) {
    untouched.for_each_element([&](JsonView block) { blocks.add(block); });
    return {"assistant", blocks.take()};
  }
  blocks.add_text("thinking", "thinking", message.thinking);
  blocks.add_text("text", "text", message.text);
  for (const ToolCall& call : message.tool_calls) blocks.add_call(call);
  return {"assistant", blocks.take()};
}

DebugMessage debug_of(const ToolMessage& message) {
  BlockList blocks;
  blocks.add_result(message, kept_members(message.meta, CarrierFormat::Anthropic));
  return {"user", blocks.take()};
}

}  // namespace

void write_debug(const CarrierOutput& out, const std::vector<Message>& messages) {
  out.text.messages.assign(1, '[');
  for (const Message& message : messages) {
    const DebugMessage debug = std::visit([](const auto& m) { return debug_of(m); }, message);
    const MessageMeta& meta = meta_of(message);
    ObjectWriter json(next_element(out.text.messages));
    json.text("role", debug.role);
    if (debug.blocks != "[]") json.raw("content", debug.blocks);
    if (meta.timestamp != WallTime{}) json.text("timestamp", to_rfc3339(meta.timestamp));
    json.text_if_any("message_id", meta.message_id.value);
    json.text_if_any("conversation_id", meta.conversation_id.value);
    json.text_if_any("user_id", meta.user_id);
  }
  out.text.messages += ']';
}

}  // namespace ba
