// SPDX-License-Identifier: Apache-2.0
#include "pipeline/token/bpe.hpp"

#include <algorithm>

namespace ba {
namespace {

constexpr std::size_t kMaybePairs = std::size_t{1} << 21;

}  // namespace

BpeEncoder::BpeEncoder(const BpeTables& tables) : tables_(tables), maybe_pairs_(kMaybePairs / 64) {
  for (const std::uint64_t key : tables.pairs) {
    const std::size_t bit = pair_place(key, kMaybePairs);
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
  const auto* at = std::upper_bound(begin, end, key);
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
  const std::size_t most = std::min(bytes.size(), text.size());
  std::size_t same = 0;
  while (same < most && bytes[same] == text[same]) ++same;
  while (tables_.lengths[found] > same) found = tables_.shorter[found];
  return found;
}

TokenRank BpeEncoder::merge_of(TokenRank left, TokenRank right) const {
  const std::uint64_t key = pair_key(left, right);
  // Most pairs are none: the bits tell so within a core's own cache, the table is beyond it.
  const std::size_t bit = pair_place(key, kMaybePairs);
  if ((maybe_pairs_[bit / 64] >> (bit % 64) & 1) == 0) return kNoToken;
  const std::size_t places = tables_.pairs.size();
  for (std::size_t place = pair_place(key, places);; place = (place + 1) & (places - 1)) {
    const std::uint64_t there = tables_.pairs[place];
    if (there == key) return tables_.merged[place];
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
      left = tables_.right[left];
      if (left != limit) continue;
      limit = right + 1;  // a single byte: the other one is undone
      right = tables_.left[right];
      if (right + 1 == limit) return true;
    } else {
      limit = right + 1;
      right = tables_.left[right];
      if (right + 1 != limit) continue;
      limit = left;
      left = tables_.right[left];
      if (left == limit) return true;
    }
  }
}

/// stay_apart(), remembered: in what repeats itself, the same pairs come again and again.
bool BpeEncoder::fit(TokenRank left, TokenRank right) {
  constexpr std::uint64_t kYes = std::uint64_t{1} << 63;
  const std::uint64_t key = pair_key(left, right);
  std::uint64_t& known = known_[pair_place(key, kKnown)];
  if ((known & ~kYes) != key) known = key | (stay_apart(left, right) ? kYes : 0);
  return (known & kYes) != 0;
}

const std::vector<TokenRank>& BpeEncoder::encode(std::string_view piece) {
  tokens_.clear();
  if (piece.empty()) return tokens_;
  TokenRank token = longest(piece);
  if (tables_.lengths[token] == piece.size()) {
    tokens_.push_back(token);
    return tokens_;
  }
  dead_ends_.assign(piece.size() + 1, false);
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t end = at + tables_.lengths[token];
    if (!dead_ends_[end] && (tokens_.empty() || fit(tokens_.back(), token))) {
      tokens_.push_back(token);
      at = end;
      if (at < piece.size()) token = longest(piece.substr(at));
    } else if (tables_.shorter[token] != kNoToken) {
      token = tables_.shorter[token];
    } else {
      dead_ends_[at] = true;
      token = tokens_.back();
      tokens_.pop_back();
      at -= tables_.lengths[token];
    }
  }
  return tokens_;
}

}  // namespace ba
