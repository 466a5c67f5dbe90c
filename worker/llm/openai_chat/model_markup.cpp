// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/model_markup.hpp"

#include <algorithm>
#include <array>

#include "pipeline/text/message/json_view.hpp"

namespace ba::llm {
namespace {

struct Tags {
  std::string_view open;
  std::string_view close;
};

// From the chat templates that the models are published with.
constexpr std::array kTags = std::to_array<Tags>({
    {"<think>", "</think>"},  // DeepSeek, Qwen, GLM and most others
    {"<thinking>", "</thinking>"},
    {"<thought>", "</thought>"},
    {"<seed:think>", "</seed:think>"},                                    // Seed
    {"[THINK]", "[/THINK]"},                                              // Mistral
    {"\xe2\x97\x81think\xe2\x96\xb7", "\xe2\x97\x81/think\xe2\x96\xb7"},  // Kimi: ◁think▷
});

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view from_first_visible(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kBlanks);
  return start == text.npos ? std::string_view() : text.substr(start);
}

std::string_view trimmed(std::string_view text) {
  text = from_first_visible(text);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

ThinkBlock split(std::string_view text, std::size_t end, std::string_view close) {
  return {trimmed(text.substr(0, end)), from_first_visible(text.substr(end + close.size())), true,
          true};
}

/// The template wrote the beginning of the block into the prompt, so only its end is in the reply.
std::optional<ThinkBlock> block_without_beginning(std::string_view text) {
  std::size_t first = text.npos;
  std::optional<ThinkBlock> block;
  for (const Tags& tags : kTags) {
    const std::size_t end = text.find(tags.close);
    if (end >= first || text.substr(0, end).find(tags.open) != text.npos) continue;
    first = end;
    block = split(text, end, tags.close);
    block->begun = false;
  }
  return block;
}

struct Mark {
  std::string_view open;
  std::string_view close;  ///< empty: the call ends with the text
};

// From the chat templates that the models are published with.
constexpr std::array kMarks = std::to_array<Mark>({
    {"<tool_call>", "</tool_call>"},  // Qwen, Hermes, GLM, Granite
    {"<tool_calls>", "</tool_calls>"},
    {"<|tool_call|>", ""},          // Granite, Phi
    {"<|tool_call_start|>", ""},    // LFM
    {"<function=", "</function>"},  // Llama, Qwen Coder
    {"<function_call>", "</function_call>"},
    {"<functioncall>", ""},
    {"<function_calls>", "</function_calls>"},
    {"<invoke name=", "</invoke>"},
    {"<start_function_call>", ""},         // Gemma
    {"<minimax:tool_call>", ""},           // MiniMax
    {"<seed:tool_call>", ""},              // Seed
    {"[TOOL_CALLS]", ""},                  // Mistral
    {"<|python_tag|>", ""},                // Llama
    {"<|tool_calls_section_begin|>", ""},  // Kimi
    {"<|tool_call_begin|>", ""},
    {"<|action_start|>", ""},           // InternLM
    {"<|channel|>commentary to=", ""},  // gpt-oss
    {"<\xef\xbd\x9ctool\xe2\x96\x81"
     "calls\xe2\x96\x81"
     "begin\xef\xbd\x9c>",
     ""},  // DeepSeek: full-width bars, lower one-eighth blocks
    {"<\xef\xbd\x9ctool\xe2\x96\x81"
     "call\xe2\x96\x81"
     "begin\xef\xbd\x9c>",
     ""},
    {"<\xef\xbd\x9c"
     "DSML\xef\xbd\x9c",
     ""},
});

bool one_paragraph(std::string_view text) {
  return text.find("\n\n") == text.npos && text.find("```") == text.npos;
}

/// A call as a JSON object alone: {"name": …, "arguments" or "parameters": {…}}.
bool bare_call(std::string_view text, const ToolSpecList& tools) {
  if (text.empty() || text.front() != '{') return false;
  const auto json = JsonView::parse(text);
  if (!json) return false;
  const auto name = (*json)["name"].text();
  if (std::ranges::find(tools, name, &ToolSpec::name) == tools.end()) return false;
  if (!(*json)["arguments"].is(JsonKind::Object) && !(*json)["parameters"].is(JsonKind::Object))
    return false;
  int members = 0;
  json->for_each_member([&](std::string_view key, JsonView) {
    if (key != "type" && key != "id") ++members;
  });
  return members == 2;
}

}  // namespace

std::optional<ThinkBlock> leading_think_block(std::string_view text) {
  text = from_first_visible(text);
  for (const Tags& tags : kTags) {
    if (!text.starts_with(tags.open)) continue;
    text.remove_prefix(tags.open.size());
    const std::size_t end = text.find(tags.close);
    if (end == text.npos) return ThinkBlock{trimmed(text), {}, false, true};
    return split(text, end, tags.close);
  }
  return block_without_beginning(text);
}

std::optional<std::string_view> tool_markup(std::string_view text, const ToolSpecList& tools) {
  text = trimmed(text);
  for (const Mark& mark : kMarks) {
    const std::size_t at = text.rfind(mark.open);
    if (at == text.npos) continue;
    const bool starts_line = at == 0 || text[at - 1] == '\n';
    const bool to_the_end =
        mark.close.empty() ? one_paragraph(text.substr(at)) : text.ends_with(mark.close);
    if (text.starts_with(mark.open) || (starts_line && to_the_end)) return mark.open;
  }
  if (bare_call(text, tools)) return "{\"name\": …";
  return std::nullopt;
}

}  // namespace ba::llm
