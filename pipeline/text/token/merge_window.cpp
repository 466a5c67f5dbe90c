// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/merge_window.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ba {
namespace {

// A merge's rank, and where it is.
constexpr int kWhereBits = 6;
constexpr std::int32_t kNoMerge = 0x7fff'ffff;
static_assert(MergeWindow::kBytesMax == std::size_t{1} << kWhereBits);
static_assert(kRankBits + kWhereBits < 31);

constexpr std::int32_t order_of(TokenRank rank, std::size_t where) {
  return static_cast<std::int32_t>(rank << kWhereBits | static_cast<std::uint32_t>(where));
}

using Four [[gnu::vector_size(16)]] = std::int32_t;
constexpr std::size_t kFour = 4;
constexpr std::size_t kAtOnce = 2 * kFour;

Four four_of(const std::int32_t* numbers) {
  Four four;
  std::memcpy(&four, numbers, sizeof four);
  return four;
}

Four lower(Four a, Four b) { return a < b ? a : b; }

}  // namespace

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

MergeWindow::MergeWindow(const BpeTables& tables, const PairMerges& merges)
    : merges_(merges), byte_pairs_(tables.byte_pairs.data()) {
  for (std::size_t byte = 0; byte < single_bytes_.size(); ++byte)
    single_bytes_[byte] = tables.radix[byte * 256];
}

void MergeWindow::start(std::string_view text) {
  const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(text[i])}; };
  std::size_t at = 0;
  for (; at + 1 < text.size(); ++at) {
    tokens_.data()[at] = single_bytes_.data()[byte(at)];
    const std::uint64_t pair = byte_pairs_[byte(at) << 8 | byte(at + 1)];
    merged_.data()[at] = static_cast<TokenPlace>(pair & (kTokensMax - 1));
    const auto rank = static_cast<TokenRank>(pair >> kRankBits);
    order_.data()[at] = pair == kNoPair ? kNoMerge : order_of(rank, at);
  }
  tokens_.data()[at] = single_bytes_.data()[byte(at)];
  const std::size_t looked_at = (text.size() + kAtOnce - 1) / kAtOnce * kAtOnce;
  for (; at < looked_at; ++at) order_.data()[at] = kNoMerge;
  begins_ = ~std::uint64_t{0} >> (kBytesMax - text.size());
  end_ = text.size();
}

/// The merge that comes next, or none. Most of the time is spent here and on waiting for memory.
std::int32_t MergeWindow::first(std::size_t size) const {
  const std::int32_t* const order = order_.data();
  Four least = four_of(order);
  Four other = four_of(order + kFour);
  for (std::size_t at = kAtOnce; at < size; at += kAtOnce) {
    least = lower(least, four_of(order + at));
    other = lower(other, four_of(order + at + kFour));
  }
  least = lower(least, other);
  return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
}

/// The tokens at both places are neighbours now: notes what they are merged to.
[[gnu::always_inline]] inline void MergeWindow::meet(std::size_t left, std::size_t right) {
  const TokenRank rank = merges_.rank(tokens_.data()[left], tokens_.data()[right]);
  if (rank == kNoToken) {
    order_.data()[left] = kNoMerge;
    return;
  }
  order_.data()[left] = order_of(rank, left);
  merged_.data()[left] = merges_.token(rank);
}

void MergeWindow::merge(std::string_view text) {
  start(text);
  for (std::int32_t next; (next = first(text.size())) != kNoMerge;) {
    const std::size_t at = static_cast<std::size_t>(next) & (kBytesMax - 1);
    const std::uint64_t behind = begins_ >> at >> 1;
    const auto gone = static_cast<std::size_t>(std::countr_zero(behind)) + at + 1;
    tokens_.data()[at] = merged_.data()[at];
    begins_ &= ~(std::uint64_t{1} << gone);
    order_.data()[at] = order_.data()[gone] = kNoMerge;
    if (const std::uint64_t right = begins_ >> at >> 1; right != 0)
      meet(at, at + 1 + static_cast<std::size_t>(std::countr_zero(right)));
    if (const std::uint64_t left = begins_ & ((std::uint64_t{1} << at) - 1); left != 0)
      meet(kBytesMax - 1 - static_cast<std::size_t>(std::countl_zero(left)), at);
  }
}

void MergeWindow::drop_last(int tokens) {
  for (; tokens > 0 && begins_ != 0; --tokens) {
    end_ = kBytesMax - 1 - static_cast<std::size_t>(std::countl_zero(begins_));
    begins_ ^= std::uint64_t{1} << end_;
  }
}

}  // namespace ba
