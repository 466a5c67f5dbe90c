// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/pair_merges.hpp"

namespace ba {

PairMerges::PairMerges(const BpeTables& tables)
    : pairs_(tables.pairs.data()),
      pairs_size_(tables.pairs.size()),
      places_(tables.places.data()),
      maybe_(kMaybe / 64) {
  for (const std::uint64_t key : tables.pairs) {
    const std::size_t bit = pair_place(key >> kRankBits, kMaybe);
    if (key != kNoPair) maybe_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
}

}  // namespace ba
