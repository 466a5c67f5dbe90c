#pragma once
// SPDX-License-Identifier: Apache-2.0
// How a model's tokens are counted: which encoding stands for its tokenizer, and by how much its
// own count may be larger. Values; any thread.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/text/token/token_counter.hpp"

namespace ba {

inline constexpr std::array<const char*, 9> kModelFamilies{
    "claude", "gpt", "gemini", "glm", "qwen", "llama", "mistral", "deepseek", "custom"};

struct TokenProfile {
  std::string family;          ///< one of kModelFamilies
  std::string encoding_name;   ///< in kTokenEncodingNames, or what somebody calls their tokenizer
  std::string tokenizer_file;  ///< a `tokenizer.json` with that encoding; empty: it comes along
  std::int64_t margin_millionths = 1'200'000;  ///< at least a million
  bool use_exact_counting = false;             ///< by the provider
  std::string exact_counting_api;              ///< which

  friend bool operator==(const TokenProfile&, const TokenProfile&) = default;
};

/// Which profile a model has. What was added goes before what is known of families.
class TokenProfiles {
 public:
  /// For a model's whole name, for names that fit a pattern ("my-*"), or that have it in them. The
  /// longest counts.
  void add(std::string name_or_pattern, TokenProfile profile);

  /// By the model's name, in any case: exactly this name, a pattern, its family, or any.
  TokenProfile of(std::string_view model) const;

  /// Whether it is more than a guess.
  bool knows(std::string_view model) const;

 private:
  std::optional<TokenProfile> known(std::string_view model) const;

  std::vector<std::pair<std::string, TokenProfile>> added_;  ///< names in lower case
};

/// Of a family's models in general.
TokenProfile profile_of_family(std::string_view family);

/// Whether the encoding is the model's own. Where a margin is needed, one stands for another.
inline bool is_exact(const TokenProfile& profile) {
  return !profile.tokenizer_file.empty() || profile.margin_millionths == 1'000'000;
}

/// ⌊count × margin⌋.
constexpr std::int64_t with_margin(std::int64_t count, const TokenProfile& profile) {
  constexpr std::int64_t kMillion = 1'000'000;
  return count / kMillion * profile.margin_millionths +
         count % kMillion * profile.margin_millionths / kMillion;
}

}  // namespace ba
