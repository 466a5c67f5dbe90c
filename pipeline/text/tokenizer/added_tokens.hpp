#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tokens of a tokenizer file that are found in a text before anything else is done with it,
// such as "<|im_start|>": where several begin, the longest. One thread at a time.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/text/tokenizer/text_pattern.hpp"

namespace ba {

struct AddedToken {
  std::string content;       ///< not empty
  bool single_word = false;  ///< not where a word goes on before or behind it
  bool lstrip = false;       ///< white space before it belongs to it
  bool rstrip = false;       ///< and behind it
  bool normalized = false;   ///< is looked for in the normalized text

  friend bool operator==(const AddedToken&, const AddedToken&) = default;
};

/// How many were found, and what is between them, without empty parts.
struct AddedTokensFound {
  std::size_t count = 0;
  std::vector<std::string_view> between;
};

class AddedTokens {
 public:
  explicit AddedTokens(std::vector<AddedToken> tokens);

  /// `text` is UTF-8 and outlives the answer.
  AddedTokensFound find(std::string_view text) const;

 private:
  const AddedToken* longest_at(std::string_view text, std::size_t at) const;
  bool stands_alone(std::string_view text, TextPart place) const;
  TextPart with_white_space(std::string_view text, TextPart place, const AddedToken& token,
                            std::size_t behind_last) const;

  std::array<std::vector<AddedToken>, 256> by_first_byte_;  ///< the longest first
  TextPattern word_;
  TextPattern white_space_;
};

}  // namespace ba
