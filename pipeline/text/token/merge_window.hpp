#pragma once
// SPDX-License-Identifier: Apache-2.0
// Byte-pair encoding of a short text as it is defined: the pair of lowest rank is merged, again
// and again. Where tokens are short that is less work than looking for the longest ones. One
// thread each.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pipeline/text/token/bpe_tables.hpp"

namespace ba {

/// What two tokens are merged to, of a vocabulary's tables. Read only once it is made; any thread.
class PairMerges {
 public:
  /// What the tables view outlives it.
  explicit PairMerges(const BpeTables& tables);

  /// The rank of what they are merged to, or none.
  [[gnu::always_inline]] TokenRank rank(TokenPlace left, TokenPlace right) const {
    const std::uint64_t key = pair_key(left, right);
    // Most pairs are none: the bits tell so within a core's own cache, the table is beyond it.
    const std::size_t bit = pair_place(key, kMaybe);
    if ((maybe_.data()[bit / 64] >> (bit % 64) & 1) == 0) return kNoToken;
    for (std::size_t place = pair_place(key, pairs_size_);;
         place = (place + 1) & (pairs_size_ - 1)) {
      const std::uint64_t there = pairs_[place];
      if (there >> kRankBits == key) return static_cast<TokenRank>(there & (kTokensMax - 1));
      if (there == kNoPair) return kNoToken;
    }
  }

  /// The token of a rank.
  TokenPlace token(TokenRank rank) const { return places_[rank]; }

 private:
  static constexpr std::size_t kMaybe = std::size_t{1} << 21;

  const std::uint64_t* const pairs_;
  const std::size_t pairs_size_;
  const TokenPlace* const places_;    ///< by rank
  std::vector<std::uint64_t> maybe_;  ///< a bit for each hash of a pair that there is
};

class MergeWindow {
 public:
  static constexpr std::size_t kBytesMax = 64;

  /// What it views outlives the window.
  MergeWindow(const BpeTables& tables, const PairMerges& merges);

  /// Of one byte to kBytesMax of them. What was merged before is forgotten.
  void merge(std::string_view text);

  /// Where the tokens begin, as bits; and which token begins there.
  std::uint64_t begins() const { return begins_; }
  TokenPlace token(std::size_t begin) const { return tokens_.data()[begin]; }

  /// Where they end.
  std::size_t end() const { return end_; }

  /// Leaves out so many tokens at the end, or all.
  void drop_last(int tokens);

 private:
  void start(std::string_view text);
  std::int32_t first(std::size_t size) const;
  void meet(std::size_t left, std::size_t right);

  const PairMerges& merges_;
  const std::uint64_t* const byte_pairs_;
  std::array<TokenPlace, 256> single_bytes_;

  std::uint64_t begins_ = 0;
  std::size_t end_ = 0;
  std::array<TokenPlace, kBytesMax> tokens_{};  ///< by where they begin, as the next two
  std::array<TokenPlace, kBytesMax> merged_{};  ///< with the one behind it
  alignas(16) std::array<std::int32_t, kBytesMax> order_{};  ///< of the merges: the least is first
};

}  // namespace ba
