#pragma once
// SPDX-License-Identifier: Apache-2.0
// How a model's tokens are counted: which encoding stands for its tokenizer, and by how much its
// own count may be larger. Pure; any thread.

#include <cstdint>
#include <string>
#include <string_view>

#include "pipeline/token/token_counter.hpp"

namespace ba {

struct TokenProfile {
  std::string family;  ///< claude, gpt, gemini, glm, qwen, llama, mistral, deepseek, custom
  TokenEncoding encoding = TokenEncoding::Cl100kBase;
  int margin_percent = 120;  ///< at least 100
};

/// By the model's name, in any case: a pattern that it has in it ("gpt-4o"), else its family.
TokenProfile token_profile(std::string_view model);

/// ⌊count × margin⌋.
constexpr std::int64_t with_margin(std::int64_t count, const TokenProfile& profile) {
  return count / 100 * profile.margin_percent + count % 100 * profile.margin_percent / 100;
}

}  // namespace ba
