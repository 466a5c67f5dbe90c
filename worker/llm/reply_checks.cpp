// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/reply_checks.hpp"

#include <string_view>
#include <unordered_set>
#include <utility>

#include "pipeline/text/message/utf8.hpp"
#include "worker/llm/protocol.hpp"

namespace ba {
namespace {

// With llm_config's bound on prices no cost can overflow: 4 * 10^8 * 10^10 < 2^63.
constexpr std::int64_t kTokensMax = 100'000'000;

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

bool has_nul(const ToolCall& call) {
  return has_nul(call.id.value) || has_nul(call.name) || has_nul(call.invalid_args);
}

std::string_view kind_name(JsonKind kind) {
  switch (kind) {
    case JsonKind::Array:
      return "an array";
    case JsonKind::String:
      return "a string";
    case JsonKind::Number:
      return "a number";
    default:
      return "a boolean";
  }
}

/// Whether a string of this valid JSON holds a NUL character, which can only stand there escaped.
bool names_nul(std::string_view json) {
  for (std::size_t at = json.find('\\'); at != std::string_view::npos; at = json.find('\\', at + 2))
    if (json.substr(at, 6) == "\\u0000") return true;
  return false;
}

Result<void> check_call(const ToolCall& call) {
  if (call.id.empty()) return malformed_reply("a tool call has no id");
  if (call.name.empty()) return malformed_reply("tool call " + call.id.value + " has no name");
  if (has_nul(call)) return malformed_reply("a tool call holds a NUL character");
  return {};
}

}  // namespace

void set_arguments(ToolCall& call, std::string text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return;
  const Result<JsonView> json = JsonView::parse(text);
  if (json && json->is(JsonKind::Null)) return;
  const bool nul = json && names_nul(text);
  if (json && !nul && json->is(JsonKind::Object)) {
    call.args_json = std::move(text);
    return;
  }
  if (nul)
    call.args_error = "the arguments hold a NUL character (\\u0000)";
  else if (json)
    call.args_error =
        "the arguments must be a JSON object, not " + std::string(kind_name(json->kind()));
  else
    call.args_error = "the arguments are not valid JSON: " + json.error().message;
  call.invalid_args = std::move(text);
}

void bound_arguments(ToolCall& call, const LlmLimits& limits) {
  const auto most = static_cast<std::size_t>(limits.tool_args_bytes_max);
  std::string& text = call.valid() ? call.args_json : call.invalid_args;
  if (text.size() <= most) return;
  call.args_error = "the arguments have " + std::to_string(text.size()) + " bytes; at most " +
                    std::to_string(most) + " are allowed";
  call.invalid_args = utf8_prefix(std::exchange(text, {}), most);
  call.args_json = "{}";
}

Result<void> check_reply(const AiMessage& message, const LlmLimits& limits) {
  if (has_nul(message.text) || has_nul(message.thinking))
    return malformed_reply("the text holds a NUL character");
  if (message.text.size() + message.thinking.size() >
      static_cast<std::size_t>(limits.reply_bytes_max))
    return too_long_reply("the text is", limits);
  if (message.tool_calls.size() > static_cast<std::size_t>(limits.tool_calls_max))
    return malformed_reply("the reply has " + std::to_string(message.tool_calls.size()) +
                           " tool calls, llm.limits.tool_calls_max is " +
                           std::to_string(limits.tool_calls_max));
  std::unordered_set<std::string_view> ids;
  for (const ToolCall& call : message.tool_calls) {
    if (auto result = check_call(call); !result) return result;
    if (!ids.insert(call.id.value).second)
      return malformed_reply("two tool calls have the id " + call.id.value);
  }
  return {};
}

std::optional<std::int64_t> token_count(JsonView number) {
  const auto count = number.integer();
  if (!count || *count < 0 || *count > kTokensMax) return std::nullopt;
  return count;
}

std::int64_t cost_of(const Usage& usage, const ModelPrices& prices) {
  constexpr std::int64_t kPerMillion = 1'000'000;
  const std::int64_t sum = usage.input_tokens * prices.input + usage.output_tokens * prices.output +
                           usage.cache_read_tokens * prices.cache_read.value_or(prices.input) +
                           usage.cache_write_tokens * prices.cache_write.value_or(prices.input);
  return (sum + kPerMillion / 2) / kPerMillion;
}

}  // namespace ba
