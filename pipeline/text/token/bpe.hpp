#pragma once
// SPDX-License-Identifier: Apache-2.0
// Byte-pair encoding of one piece of text, in time that grows with its length and no faster. It
// gives what merging the pair of lowest rank, again and again, would give: the one sequence of
// tokens in which every two neighbours stay apart under those merges. The longest token is taken
// at each place, a shorter one where it doesn't fit its neighbour, and a step is taken back where
// none does (the idea: https://github.com/github/rust-gems, crates/bpe). Where that is slow, as of
// random letters, the pairs are merged, in windows of some bytes: what is found so may be joined
// wherever neighbours stay apart. One thread each.

#include <string_view>
#include <vector>

#include "pipeline/text/token/bpe_tables.hpp"
#include "pipeline/text/token/merge_window.hpp"

namespace ba {

class BpeEncoder {
 public:
  /// What the tables view outlives the encoder.
  explicit BpeEncoder(const BpeTables& tables);
  BpeEncoder(const BpeEncoder&) = delete;
  BpeEncoder& operator=(const BpeEncoder&) = delete;

  /// How many tokens the piece is. A piece that is a token is that token.
  std::size_t count(std::string_view piece);

  /// So that count() of this piece doesn't wait for memory later.
  void expect(std::string_view piece) const;

  /// Which.
  std::vector<TokenRank> encode(std::string_view piece);

 private:
  TokenPlace longest(std::string_view text) const;
  PrefixRange beginning_like(std::string_view text) const;
  TokenPlace longest_of_two(std::string_view text) const;
  TokenPlace not_behind(TokenPlace last, std::string_view text) const;
  TokenPlace fitting(TokenPlace last, TokenPlace token);
  bool stay_apart(TokenPlace left, TokenPlace right) const;
  void take_all(std::string_view piece, TokenPlace token);
  std::size_t take_longest(std::string_view piece, std::size_t at, TokenPlace token);
  std::size_t take_merged(std::string_view piece, std::size_t at);
  bool is_dead_end(std::size_t at) const {
    return (dead_ends_.data()[at / 64] >> at % 64 & 1) != 0;
  }

  const BpeTables tables_;
  const TokenFacts* const facts_;  ///< those of the tables: what is looked at most, unchecked
  const PairMerges merges_;
  MergeWindow window_;
  std::vector<TokenPlace> tokens_;        ///< of the last piece
  std::vector<std::uint64_t> dead_ends_;  ///< bits: places from which nothing led on
  std::vector<std::uint32_t> known_;      ///< of pairs that were met; see fitting()
  std::size_t unknown_ = 0;               ///< how many of them weren't among these
};

}  // namespace ba
