#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a server should have taken out of a model's text. Thoughts: servers without a parser for a
// model's reasoning leave it as one block in front of the answer, <think>…</think>, or with other
// tags of its model. And calls of tools in the model's own notation. Pure functions.

#include <optional>
#include <string_view>

#include "pipeline/core/tool/tool_spec_list.hpp"

namespace ba::llm {

/// A text that begins with a think block, in parts. Where the model's template begins the block in
/// the prompt, only the end of the block is in the text. The views look into that text.
struct ThinkBlock {
  std::string_view thinking;  ///< without the tags, and without blanks around it
  std::string_view answer;    ///< what follows the block, without the blanks between
  bool closed = true;         ///< false: the end of the block is missing, all of it is thinking
  bool begun = true;          ///< false: its beginning is missing
};

/// None: the text begins with something else. Blanks may stand before the block; a block further
/// inside is the answer's own text.
std::optional<ThinkBlock> leading_think_block(std::string_view text);

/// The mark by which a text that is a call, or ends with one, gives itself away: "<tool_call>". A
/// JSON object alone is one if its name is that of a tool. None: an ordinary text, also one that
/// tells of such a mark inside a line, or goes on behind it.
std::optional<std::string_view> tool_markup(std::string_view text, const ToolSpecList& tools);

}  // namespace ba::llm
