// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/reply_checks.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "pipeline/text/message/utf8.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {
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

/// The first of these that is a count above zero, else whether there was one at all.
std::optional<std::int64_t> first_count(std::initializer_list<JsonView> candidates) {
  std::optional<std::int64_t> found;
  for (const JsonView candidate : candidates) {
    const auto count = token_count(candidate);
    if (count && *count > 0) return count;
    if (count) found = count;
  }
  return found;
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

bool read_openai_usage(JsonView report, Usage& usage) {
  const auto prompt = first_count({report["prompt_tokens"], report["input_tokens"]});
  const auto completion = first_count({report["completion_tokens"], report["output_tokens"]});
  const auto total = token_count(report["total_tokens"]);
  if (!prompt || (!completion && !total)) return false;
  const JsonView chat_input = report["prompt_tokens_details"];
  const JsonView responses_input = report["input_tokens_details"];
  const auto read_report =
      first_count({chat_input["cached_tokens"], responses_input["cached_tokens"],
                   report["prompt_cache_hit_tokens"], report["cached_tokens"],
                   report["cache_read_input_tokens"]});
  const auto written_report =
      first_count({chat_input["cache_write_tokens"], responses_input["cache_write_tokens"],
                   report["cache_creation_input_tokens"]});
  const std::int64_t read = read_report.value_or(0);
  const std::int64_t written = written_report.value_or(0);
  const auto thinking =
      first_count({report["completion_tokens_details"]["reasoning_tokens"],
                   report["output_tokens_details"]["reasoning_tokens"], report["reasoning_tokens"]})
          .value_or(0);
  std::int64_t input = *prompt;
  std::int64_t output = completion.value_or(0);
  const std::int64_t rest = total.value_or(0) - input - output;
  if (rest > 0 && rest == read + written && rest != thinking)
    input += rest;  // of a server that counts what was cached apart
  else if (rest > 0)
    output += rest;
  const bool said_before = !read_report && !written_report && input == usage.total_input();
  if (input > 0 && !said_before) {
    usage.cache_read_tokens = std::min(read, input);
    usage.cache_write_tokens = std::min(written, input - usage.cache_read_tokens);
    usage.input_tokens = input - usage.cache_read_tokens - usage.cache_write_tokens;
  }
  if (output > 0) {
    usage.output_tokens = output;
    usage.thinking_tokens = std::min(thinking, output);
  }
  return true;
}

}  // namespace ba::llm
