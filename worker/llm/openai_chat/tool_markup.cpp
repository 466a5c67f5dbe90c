// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/tool_markup.hpp"

#include <algorithm>
#include <array>

#include "pipeline/text/message/json_view.hpp"

namespace ba {
namespace {

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

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) + 1 - start);
}

bool one_paragraph(std::string_view text) {
  return text.find("\n\n") == text.npos && text.find("```") == text.npos;
}

/// A call as a JSON object alone: {"name": …, "arguments" or "parameters": {…}}.
bool bare_call(std::string_view text, const std::vector<std::string>& tool_names) {
  if (text.empty() || text.front() != '{') return false;
  const auto json = JsonView::parse(text);
  if (!json || std::ranges::find(tool_names, (*json)["name"].text()) == tool_names.end())
    return false;
  if (!(*json)["arguments"].is(JsonKind::Object) && !(*json)["parameters"].is(JsonKind::Object))
    return false;
  int members = 0;
  json->for_each_member([&](std::string_view key, JsonView) {
    if (key != "type" && key != "id") ++members;
  });
  return members == 2;
}

}  // namespace

std::optional<std::string_view> tool_markup(std::string_view text,
                                            const std::vector<std::string>& tool_names) {
  text = trimmed(text);
  for (const Mark& mark : kMarks) {
    const std::size_t at = text.rfind(mark.open);
    if (at == text.npos) continue;
    const bool starts_line = at == 0 || text[at - 1] == '\n';
    const bool to_the_end =
        mark.close.empty() ? one_paragraph(text.substr(at)) : text.ends_with(mark.close);
    if (text.starts_with(mark.open) || (starts_line && to_the_end)) return mark.open;
  }
  if (bare_call(text, tool_names)) return "{\"name\": …";
  return std::nullopt;
}

}  // namespace ba
