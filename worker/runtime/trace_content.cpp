// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/trace_content.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/message/job_time.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

std::string cut(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

Json text_part(std::string_view text, std::size_t bytes_max) {
  return {{"type", "text"}, {"content", cut(text, bytes_max)}};
}

Json message_json(const char* role, Json parts) {
  return {{"role", role}, {"parts", std::move(parts)}};
}

Json arguments_json(const ToolCall& call, std::size_t bytes_max) {
  if (call.args_json.size() > bytes_max) return cut(call.args_json, bytes_max);
  Json parsed = parse_exact<Json>(call.args_json);
  return parsed.is_discarded() ? Json(call.args_json) : parsed;
}

struct MessageJson {
  std::size_t bytes_max;

  Json operator()(const SystemMessage& message) const { return said("system", message.text); }
  Json operator()(const HumanMessage& message) const {
    return said("user", text_for_model(message));
  }
  Json operator()(const AiMessage& message) const {
    Json parts = Json::array();
    if (!message.text.empty()) parts.push_back(text_part(message.text, bytes_max));
    for (const ToolCall& call : message.tool_calls)
      parts.push_back({{"type", "tool_call"},
                       {"id", call.id.value},
                       {"name", call.name},
                       {"arguments", arguments_json(call, bytes_max)}});
    return message_json("assistant", std::move(parts));
  }
  Json operator()(const ToolMessage& message) const {
    const Json part = {{"type", "tool_call_response"},
                       {"id", message.tool_call_id.value},
                       {"result", cut(message.content, bytes_max)}};
    return message_json("tool", Json::array({part}));
  }

 private:
  Json said(const char* role, std::string_view text) const {
    return message_json(role, Json::array({text_part(text, bytes_max)}));
  }
};

std::string text_of(const Json& json) { return dump_exact(json); }

}  // namespace

std::string messages_content(std::span<const Message> messages, std::size_t bytes_max) {
  std::vector<std::string> newest;
  std::size_t bytes = 2;
  for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
    std::string text = text_of(std::visit(MessageJson{bytes_max / 4}, *message));
    bytes += text.size() + 1;
    if (bytes > bytes_max) break;
    newest.push_back(std::move(text));
  }
  std::string all = "[";
  for (auto text = newest.rbegin(); text != newest.rend(); ++text)
    all += (all.size() > 1 ? "," : "") + *text;
  return all + "]";
}

std::string reply_content(const AiMessage& reply, const std::string& finish_reason,
                          std::size_t bytes_max) {
  Json json = MessageJson{bytes_max / 2}(reply);
  json["finish_reason"] = finish_reason;
  std::string text = "[" + text_of(json) + "]";
  return text.size() <= bytes_max ? text : "[]";
}

}  // namespace ba
