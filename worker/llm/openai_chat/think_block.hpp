#pragma once
// SPDX-License-Identifier: Apache-2.0
// Servers without a parser for a model's reasoning leave it in the text, as one block in front of
// the answer: <think>…</think>, or with other tags of its model. Pure functions.

#include <optional>
#include <string_view>

namespace ba {

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

}  // namespace ba
