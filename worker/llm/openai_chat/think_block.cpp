// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/think_block.hpp"

#include <array>

namespace ba {
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

}  // namespace ba
