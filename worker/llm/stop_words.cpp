// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/stop_words.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "pipeline/base/lower_case.hpp"
#include "worker/llm/failure_table.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {
namespace {

struct Row {
  std::string_view word;
  StopMeaning meaning;
};

// Who says it stands beside each; the names are those of the servers' own references.
constexpr std::array kRows = std::to_array<Row>({
    {"stop", StopMeaning::Answered},               // OpenAI and all that follow it; Gemini: STOP
    {"end_turn", StopMeaning::Answered},           // Anthropic, Bedrock
    {"stop_sequence", StopMeaning::Answered},      // Anthropic, Bedrock, Text Generation Inference
    {"eos", StopMeaning::Answered},                // Together
    {"eos_token", StopMeaning::Answered},          // Text Generation Inference
    {"complete", StopMeaning::Answered},           // Cohere
    {"completed", StopMeaning::Answered},          // Responses: the status
    {"tool_calls", StopMeaning::Calls},            // OpenAI and all that follow it
    {"tool_use", StopMeaning::Calls},              // Anthropic, Bedrock
    {"tool_call", StopMeaning::Calls},             // Cohere
    {"function_call", StopMeaning::Calls},         // OpenAI, before there were several calls
    {"length", StopMeaning::Cut},                  // OpenAI and all that follow it
    {"max_tokens", StopMeaning::Cut},              // Anthropic, Bedrock, Cohere; Gemini: MAX_TOKENS
    {"max_output_tokens", StopMeaning::Cut},       // Responses: the reason of what is incomplete
    {"model_length", StopMeaning::Cut},            // Mistral
    {kContextFullWord, StopMeaning::ContextFull},  // Anthropic, Bedrock, Z.ai
    {"refusal", StopMeaning::Refused},             // Anthropic
    {"content_filter", StopMeaning::Refused},      // OpenAI, Azure, Responses
    {"content_filtered", StopMeaning::Refused},    // Bedrock
    {"guardrail_intervened", StopMeaning::Refused},         // Bedrock
    {"sensitive", StopMeaning::Refused},                    // Z.ai
    {"safety", StopMeaning::Refused},                       // Gemini
    {"recitation", StopMeaning::Refused},                   // Gemini
    {"blocklist", StopMeaning::Refused},                    // Gemini
    {"prohibited_content", StopMeaning::Refused},           // Gemini
    {"spii", StopMeaning::Refused},                         // Gemini
    {"pause_turn", StopMeaning::Paused},                    // Anthropic
    {"malformed_function_call", StopMeaning::Malformed},    // Gemini
    {"unexpected_tool_call", StopMeaning::Malformed},       // Gemini
    {"malformed_model_output", StopMeaning::Malformed},     // Bedrock
    {"malformed_tool_use", StopMeaning::Malformed},         // Bedrock
    {"error", StopMeaning::Failed},                         // OpenRouter, Mistral, Cohere
    {"abort", StopMeaning::Failed},                         // vLLM, SGLang
    {"network_error", StopMeaning::Failed},                 // Z.ai
    {"insufficient_system_resource", StopMeaning::Failed},  // DeepSeek
});

/// Without a look at what the reply holds it would pass for a whole one.
Error given_up(std::string_view field, std::string_view word) {
  Error error = make_error(
      ErrorCode::Unavailable,
      "the server gave the reply up (" + std::string(field) + " '" + readable(word) + "')",
      Retry::Later);
  error.detail = readable(word);
  error.maybe_done = true;
  return error;
}

bool has_whole_calls(const AiMessage& message) {
  return !message.tool_calls.empty() && std::ranges::all_of(message.tool_calls, &ToolCall::valid);
}

Error unknown(std::string_view field, std::string_view word, const AiMessage& message) {
  const char* what = message.tool_calls.empty() ? "the reply" : "a reply with tool calls";
  return malformed_reply(std::string(what) + " ended with the " + std::string(field) + " '" +
                         std::string(word) + "', which no server we know calls an end");
}

constexpr std::size_t kWordBytesMax = 16;

/// In lower case; empty: longer than any of the words.
std::string word_of(const http::SseEvent& event) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::string_view data = event.data;
  const std::size_t start = data.find_first_not_of(kBlanks);
  if (start == data.npos) return "";
  data = data.substr(start, data.find_last_not_of(kBlanks) + 1 - start);
  return data.size() > kWordBytesMax ? "" : lower_case(data);
}

}  // namespace

std::optional<StopMeaning> stop_meaning(std::string_view word) {
  const std::string lower = lower_case(word);
  const auto row = std::ranges::find(kRows, lower, &Row::word);
  if (row == kRows.end()) return std::nullopt;
  return row->meaning;
}

Result<StopReason> stop_of(std::string_view field, std::string_view word,
                           const AiMessage& message) {
  const bool calls = !message.tool_calls.empty();
  const auto meaning = word.empty() ? StopMeaning::Answered : stop_meaning(word);
  if (!meaning) {
    if (has_whole_calls(message)) return StopReason::ToolUse;
    return unknown(field, word, message);
  }
  switch (*meaning) {
    case StopMeaning::Answered:
      return calls ? StopReason::ToolUse : StopReason::EndTurn;
    case StopMeaning::Calls:
      if (calls) return StopReason::ToolUse;
      return malformed_reply(std::string(field) + " is '" + std::string(word) +
                             "', but there is no call");
    case StopMeaning::Cut:
      return StopReason::MaxTokens;
    case StopMeaning::Refused:
      return StopReason::Refusal;
    case StopMeaning::ContextFull:
      // What was written until then is an answer that was cut.
      return calls || !message.text.empty() ? StopReason::MaxTokens : StopReason::ContextExceeded;
    case StopMeaning::Paused:
      return has_whole_calls(message) ? StopReason::ToolUse : StopReason::Other;
    case StopMeaning::Malformed:
      return malformed_reply("the server could not read what its model wrote (" +
                             std::string(field) + " '" + std::string(word) + "')");
    case StopMeaning::Failed:
      break;
  }
  return given_up(field, word);
}

bool says_nothing(const http::SseEvent& event) {
  constexpr std::array<std::string_view, 4> kStillHere{"ping", "heartbeat", "keep-alive",
                                                       "keepalive"};
  if (event.data.find_first_not_of(" \t\r\n") == std::string_view::npos) return true;
  const std::string word = word_of(event);
  return std::ranges::find(kStillHere, word) != kStillHere.end();
}

bool says_done(const http::SseEvent& event) { return word_of(event) == "[done]"; }

}  // namespace ba::llm
