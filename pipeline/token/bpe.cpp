// SPDX-License-Identifier: Apache-2.0
#include "pipeline/token/bpe.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ba {
namespace {

constexpr std::size_t kMaybePairs = std::size_t{1} << 21;

/// How many bytes both begin with.
std::size_t alike(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t same = 0;
  for (std::uint64_t left = 0, right = 0; same + sizeof left <= most; same += sizeof left) {
    std::memcpy(&left, a.data() + same, sizeof left);
    std::memcpy(&right, b.data() + same, sizeof right);
    if (left != right) return same + static_cast<std::size_t>(std::countr_zero(left ^ right)) / 8;
  }
  while (same < most && a[same] == b[same]) ++same;
  return same;
}

/// std::upper_bound without a branch that nobody can foresee.
const std::uint64_t* behind(const std::uint64_t* at, std::size_t count, std::uint64_t key) {
  while (count > 0) {
    const std::size_t half = (count + 1) / 2;
    at += at[half - 1] <= key ? half : 0;
    count -= half;
  }
  return at;
}

}  // namespace

BpeEncoder::BpeEncoder(const BpeTables& tables)
    : tables_(tables), facts_(tables.facts.data()), maybe_pairs_(kMaybePairs / 64) {
  for (const std::uint64_t key : tables.pairs) {
    const std::size_t bit = pair_place(key >> kRankBits, kMaybePairs);
    if (key != kNoPair) maybe_pairs_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
}

/// The last token that isn't behind the text; what both begin with is it or one of its beginnings.
std::uint32_t BpeEncoder::not_behind(std::string_view text) const {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t radix = byte(0) * std::size_t{256} + (text.size() > 1 ? byte(1) : 0);
  const auto* const keys = tables_.sorted_keys.data();
  const auto* const begin = keys + tables_.radix[radix];
  const auto* const end = keys + tables_.radix[radix + 1];
  const std::uint64_t key = sort_key(text);
  const auto* at = behind(begin, static_cast<std::size_t>(end - begin), key);
  // Keys are alike of what is alike in ten bytes, and of what ends in zeros.
  if (at != begin && at[-1] == key && sorted_token(at - keys - 1) > text)
    at = std::partition_point(std::lower_bound(begin, at, key), at, [&](const std::uint64_t& one) {
      return sorted_token(&one - keys) <= text;
    });
  return static_cast<std::uint32_t>(at - keys - 1);
}

TokenRank BpeEncoder::longest(std::string_view text) const {
  const std::uint32_t index = not_behind(text);
  TokenRank found = tables_.sorted_ranks[index];
  const std::string_view bytes = sorted_token(index);
  const std::size_t same = alike(bytes, text);
  while (facts_[found].length > same) found = facts_[found].shorter;
  return found;
}

TokenRank BpeEncoder::merge_of(TokenRank left, TokenRank right) const {
  const std::uint64_t key = pair_key(left, right);
  // Most pairs are none: the bits tell so within a core's own cache, the table is beyond it.
  const std::size_t bit = pair_place(key, kMaybePairs);
  if ((maybe_pairs_.data()[bit / 64] >> (bit % 64) & 1) == 0) return kNoToken;
  const std::uint64_t* const pairs = tables_.pairs.data();
  const std::size_t places = tables_.pairs.size();
  for (std::size_t place = pair_place(key, places);; place = (place + 1) & (places - 1)) {
    const std::uint64_t there = pairs[place];
    if (there >> kRankBits == key) return static_cast<TokenRank>(there & (kTokensMax - 1));
    if (there == kNoPair) return kNoToken;
  }
}

/// Undoes the merges of both, the latest first: at no time may there be a pair across the border
/// that would have been merged before.
bool BpeEncoder::stay_apart(TokenRank left, TokenRank right) const {
  TokenRank limit = kNoToken;
  while (true) {
    if (const TokenRank merged = merge_of(left, right); merged < limit) return false;
    if (left > right) {
      limit = left;
      left = facts_[left].right;
      if (left != limit) continue;
      limit = right + 1;  // a single byte: the other one is undone
      right = facts_[right].left;
      if (right + 1 == limit) return true;
    } else {
      limit = right + 1;
      right = facts_[right].left;
      if (right + 1 != limit) continue;
      limit = left;
      left = facts_[left].right;
      if (left == limit) return true;
    }
  }
}

/// The longest of `token` and its beginnings that may stand behind `last`, or none. Remembered: in
/// what repeats itself, the same two come again and again.
TokenRank BpeEncoder::fitting(TokenRank last, TokenRank token) {
  const std::uint64_t key = pair_key(last, token);
  Known& known = known_[pair_place(key, kKnown)];
  if (known.key == key) return known.fitting;
  while (token != kNoToken && !stay_apart(last, token)) token = facts_[token].shorter;
  known = {key, token};
  return token;
}

const std::vector<TokenRank>& BpeEncoder::encode(std::string_view piece) {
  tokens_.clear();
  if (piece.empty()) return tokens_;
  TokenRank token = longest(piece);
  if (facts_[token].length == piece.size()) {
    tokens_.push_back(token);
    return tokens_;
  }
  dead_ends_.assign(piece.size() + 1, false);
  for (std::size_t at = 0; at < piece.size();) {
    if (!tokens_.empty() && token != kNoToken) token = fitting(tokens_.back(), token);
    if (token == kNoToken) {
      dead_ends_[at] = true;
      token = tokens_.back();
      tokens_.pop_back();
      at -= facts_[token].length;
      token = facts_[token].shorter;
    } else if (dead_ends_[at + facts_[token].length]) {
      token = facts_[token].shorter;
    } else {
      tokens_.push_back(token);
      at += facts_[token].length;
      if (at < piece.size()) token = longest(piece.substr(at));
    }
  }
  return tokens_;
}

}  // namespace ba
