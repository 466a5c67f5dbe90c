#pragma once
// SPDX-License-Identifier: Apache-2.0
// The model of a tokenizer file: byte-pair encoding of a piece by a list of merges, the earliest in
// the list first. Values; any thread may count.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pipeline/base/error.hpp"

namespace ba {

using TokenId = std::uint32_t;

/// What a letter becomes that isn't in the vocabulary.
struct UnknownLetters {
  std::optional<TokenId> token;  ///< none: it is left out
  bool fused = false;            ///< neighbours become one token
};

class VocabularyMerges {
 public:
  /// By its text.
  using Vocabulary = std::unordered_map<std::string, TokenId>;

  VocabularyMerges(Vocabulary vocabulary, UnknownLetters unknown, bool whole_pieces_first)
      : vocabulary_(std::move(vocabulary)),
        unknown_(unknown),
        whole_pieces_first_(whole_pieces_first) {}

  /// The next merge. Fails when one of the three tokens isn't in the vocabulary.
  Result<void> add_merge(const std::string& left, const std::string& right);

  /// How many tokens a piece in UTF-8 has.
  std::size_t count(std::string_view piece) const;

 private:
  struct Merge {
    std::uint32_t rank = 0;
    TokenId token = 0;
  };
  class Word;

  Result<TokenId> id_of(const std::string& token) const;
  std::vector<TokenId> letters_of(std::string_view piece) const;
  const Merge* merge_of(TokenId left, TokenId right) const;

  Vocabulary vocabulary_;
  UnknownLetters unknown_;
  bool whole_pieces_first_;
  std::uint32_t next_rank_ = 0;
  std::unordered_map<std::uint64_t, Merge> merges_;  ///< by the pair
};

}  // namespace ba
