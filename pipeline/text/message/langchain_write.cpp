// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/langchain_json.hpp"

namespace ba {
namespace {

std::string invalid_positions(const std::vector<ToolCall>& calls) {
  std::string positions;
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (!calls[i].valid()) positions += (positions.empty() ? "" : ",") + std::to_string(i);
  return positions;
}

/// Members of `ba` that only an AIMessage has.
void write_ai_extras(ObjectWriter& ba, const AiMessage& message) {
  if (message.extra) {
    ba.text("provider", message.extra->provider);
    ba.text("provider_json", message.extra->json);
  }
  const std::string positions = invalid_positions(message.tool_calls);
  if (!positions.empty()) ba.raw("invalid_positions", "[" + positions + "]");
}

void write_kwargs(std::string& out, const MessageMeta& meta, const AiMessage* ai) {
  ObjectWriter kwargs(out);
  for (const auto& [name, json] : meta.additional_kwargs) kwargs.raw(name, json);
  if (ai != nullptr) kwargs.text_if_any("reasoning_content", ai->thinking);
  ObjectWriter ba(kwargs.member("ba"));
  ba.text_if_any("conversation_id", meta.conversation_id.value);
  ba.text_if_any("round_id", meta.round_id);
  ba.text_if_any("user_id", meta.user_id);
  ba.text("timestamp", to_rfc3339(meta.timestamp));
  ba.text("schema_version", meta.schema_version);
  if (ai != nullptr) write_ai_extras(ba, *ai);
}

void write_calls(ObjectWriter& data, const std::vector<ToolCall>& calls) {
  std::string valid;
  std::string invalid;
  for (const ToolCall& call : calls) {
    std::string& list = call.valid() ? valid : invalid;
    if (!list.empty()) list += ',';
    ObjectWriter members(list);
    members.text("name", call.name);
    if (call.valid())
      members.raw("args", call.args_json);
    else
      members.text("args", call.invalid_args);
    members.text("id", call.id.value);
    if (!call.valid()) members.text("error", call.args_error);
    members.text("type", call.valid() ? "tool_call" : "invalid_tool_call");
  }
  data.raw("tool_calls", "[" + valid + "]");
  data.raw("invalid_tool_calls", "[" + invalid + "]");
}

void write_usage(ObjectWriter& data, const Usage& usage) {
  if (usage == Usage{}) {
    data.raw("usage_metadata", "null");
    return;
  }
  ObjectWriter members(data.member("usage_metadata"));
  members.number("input_tokens", usage.total_input());
  members.number("output_tokens", usage.output_tokens);
  members.number("total_tokens", usage.total());
  {
    ObjectWriter input(members.member("input_token_details"));
    input.number("cache_read", usage.cache_read_tokens);
    input.number("cache_creation", usage.cache_write_tokens);
  }
  ObjectWriter output(members.member("output_token_details"));
  output.number("reasoning", usage.thinking_tokens);
}

struct Kind {
  std::string_view type;
  const std::string& content;
};

Kind kind_of(const SystemMessage& message) { return {"system", message.text}; }
Kind kind_of(const HumanMessage& message) { return {"human", message.text}; }
Kind kind_of(const AiMessage& message) { return {"ai", message.text}; }
Kind kind_of(const ToolMessage& message) { return {"tool", message.content}; }

template <typename M>
void write_own(ObjectWriter&, const M&) {}

void write_own(ObjectWriter& data, const AiMessage& message) {
  write_calls(data, message.tool_calls);
  write_usage(data, message.usage);
}

void write_own(ObjectWriter& data, const ToolMessage& message) {
  data.text("tool_call_id", message.tool_call_id.value);
  data.raw("artifact", "null");
  data.text("status", message.status == ToolStatus::Success ? "success" : "error");
}

template <typename M>
void write_message(std::string& out, const M& message) {
  const Kind kind = kind_of(message);
  const AiMessage* ai = nullptr;
  if constexpr (std::is_same_v<M, AiMessage>) ai = &message;
  ObjectWriter root(out);
  root.text("type", kind.type);
  ObjectWriter data(root.member("data"));
  data.text("content", kind.content);
  write_kwargs(data.member("additional_kwargs"), message.meta, ai);
  data.raw("response_metadata", "{}");
  data.text("type", kind.type);
  if constexpr (std::is_same_v<M, ToolMessage>)
    data.text("name", message.tool_name);
  else
    data.raw("name", "null");
  data.text("id", message.meta.message_id.value);
  write_own(data, message);
}

}  // namespace

std::string message_to_json(const Message& message) {
  std::string json;
  std::visit([&json](const auto& m) { write_message(json, m); }, message);
  return json;
}

std::string messages_to_json(const std::vector<Message>& messages) {
  std::string json = "[";
  for (const Message& message : messages) {
    if (json.size() > 1) json += ',';
    json += message_to_json(message);
  }
  return json + "]";
}

}  // namespace ba
