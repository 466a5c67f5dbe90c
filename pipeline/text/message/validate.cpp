// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/validate.hpp"

#include <set>
#include <string_view>

#include "pipeline/text/message/history_check.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/migration.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

Error invalid(const std::string& field, const std::string& message) {
  return invalid_argument(field + " " + message);
}

Result<void> check_text(const std::string& field, std::string_view text) {
  if (const auto at = utf8_defect(text))
    return invalid(field, "is not storable text: " + describe_utf8_defect(text, *at));
  return {};
}

Result<void> check_id(const std::string& field, std::string_view text) {
  if (text.empty()) return invalid(field, "must not be empty");
  return check_text(field, text);
}

Result<void> check_kwargs(const std::map<std::string, std::string>& kwargs) {
  for (const auto& [name, json] : kwargs) {
    const std::string field = "additional_kwargs." + name;
    if (name.empty() || utf8_defect(name))
      return invalid("additional_kwargs", "has a name that is empty or not storable text");
    if (name == "ba" || name == "reasoning_content") return invalid(field, "is a reserved name");
    if (!is_json(json)) return invalid(field, "must be JSON in UTF-8");
  }
  return {};
}

Result<void> check_meta(const MessageMeta& meta) {
  if (auto good = check_id("message_id", meta.message_id.value); !good) return good;
  if (auto good = check_text("conversation_id", meta.conversation_id.value); !good) return good;
  if (auto good = check_text("round_id", meta.round_id); !good) return good;
  if (auto good = check_text("user_id", meta.user_id); !good) return good;
  if (auto good = check_message_version(meta.schema_version); !good)
    return invalid_argument(good.error().message);
  return check_kwargs(meta.additional_kwargs);
}

Result<void> check_call(const std::string& field, const ToolCall& call) {
  if (auto good = check_id(field + ".id", call.id.value); !good) return good;
  if (auto good = check_text(field + ".name", call.name); !good) return good;
  if (call.valid() && call.name.empty()) return invalid(field + ".name", "must not be empty");
  if (!is_json_object(call.args_json)) return invalid(field + ".args", "must be a JSON object");
  if (auto good = check_text(field + ".invalid_args", call.invalid_args); !good) return good;
  if (auto good = check_text(field + ".args_error", call.args_error); !good) return good;
  if (!call.valid() && call.args_json != "{}")
    return invalid(field + ".args", "must be {} for an invalid call");
  if (call.valid() && !call.invalid_args.empty())
    return invalid(field + ".invalid_args", "must be empty for a valid call");
  return {};
}

Result<void> check_calls(const std::vector<ToolCall>& calls) {
  std::set<std::string_view> ids;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::string field = "tool_calls[" + std::to_string(i) + "]";
    if (auto good = check_call(field, calls[i]); !good) return good;
    if (!ids.insert(calls[i].id.value).second)
      return invalid(field + ".id", "\"" + calls[i].id.value + "\" stands there twice");
  }
  return {};
}

Result<void> check_usage(const Usage& usage) {
  const bool negative = usage.input_tokens < 0 || usage.cache_read_tokens < 0 ||
                        usage.cache_write_tokens < 0 || usage.output_tokens < 0 ||
                        usage.thinking_tokens < 0;
  if (negative) return invalid("usage", "must not be negative");
  return {};
}

Result<void> check_body(const SystemMessage& message) { return check_text("text", message.text); }
Result<void> check_body(const HumanMessage& message) { return check_text("text", message.text); }

Result<void> check_body(const AiMessage& message) {
  if (auto good = check_text("text", message.text); !good) return good;
  if (auto good = check_text("thinking", message.thinking); !good) return good;
  if (message.extra) {
    if (auto good = check_text("extra.provider", message.extra->provider); !good) return good;
    if (auto good = check_text("extra.json", message.extra->json); !good) return good;
  }
  if (auto good = check_usage(message.usage); !good) return good;
  return check_calls(message.tool_calls);
}

Result<void> check_body(const ToolMessage& message) {
  if (auto good = check_id("tool_call_id", message.tool_call_id.value); !good) return good;
  if (auto good = check_text("tool_name", message.tool_name); !good) return good;
  return check_text("content", message.content);
}

}  // namespace

Result<void> validate_reply(const AiMessage& message) { return check_body(message); }

Result<void> validate_message(const Message& message) {
  if (auto good = check_meta(meta_of(message)); !good) return good;
  return std::visit([](const auto& m) { return check_body(m); }, message);
}

Result<void> validate_history(std::span<const Message* const> messages, HistoryEnd end) {
  return HistoryCheck().check(messages, end);
}

Result<void> validate_history(const std::vector<Message>& messages, HistoryEnd end) {
  std::vector<const Message*> pointers;
  pointers.reserve(messages.size());
  for (const Message& message : messages) pointers.push_back(&message);
  return validate_history(pointers, end);
}

}  // namespace ba
