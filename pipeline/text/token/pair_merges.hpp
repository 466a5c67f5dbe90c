#pragma once
// SPDX-License-Identifier: Apache-2.0
// What two tokens are merged to, of a vocabulary's tables. Read only once it is made; any thread.

#include <cstdint>
#include <vector>

#include "pipeline/text/token/bpe_tables.hpp"

namespace ba {

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

}  // namespace ba
