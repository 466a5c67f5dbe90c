// SPDX-License-Identifier: Apache-2.0
#include "pipeline/token/bpe.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ba {
namespace {

constexpr std::size_t kMaybePairs = std::size_t{1} << 21;

// What is known of a pair, in 32 bits: multiplying by an odd number loses nothing of it, so that
// the place has a part of it and the tag all that is left.
constexpr int kPairBits = 2 * kRankBits;
constexpr std::uint64_t kPairMask = (std::uint64_t{1} << kPairBits) - 1;
constexpr int kStepBits = 8;
constexpr int kTagBits = 32 - kStepBits;
constexpr std::size_t kKnown = std::size_t{1} << (kPairBits - kTagBits);
constexpr std::uint32_t kStepsMax = (1U << kStepBits) - 1;
constexpr std::uint32_t kNothingKnown = 0xffff'ffff;  // so many steps there never are
constexpr std::uint64_t kMixer = 0x9e37'79b9'7f4a'7c15;

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
    : tables_(tables),
      facts_(tables.facts.data()),
      maybe_pairs_(kMaybePairs / 64),
      known_(kKnown, kNothingKnown) {
  for (const std::uint64_t key : tables.pairs) {
    const std::size_t bit = pair_place(key >> kRankBits, kMaybePairs);
    if (key != kNoPair) maybe_pairs_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
}

/// The tokens that begin with the text's first three bytes.
PrefixRange BpeEncoder::beginning_like(std::string_view text) const {
  const std::uint32_t prefix = prefix_of(text);
  const std::size_t places = tables_.prefixes.size();
  for (std::size_t place = prefix_place(prefix, places);; place = (place + 1) & (places - 1)) {
    const PrefixRange range = tables_.prefixes.data()[place];
    if (range.prefix() == prefix || range.empty()) return range;
  }
}

/// The last token that isn't behind the text: what both begin with is it or one of its beginnings.
/// Mostly the ten bytes of the keys tell.
TokenPlace BpeEncoder::longest(std::string_view text) const {
  const PrefixRange range = text.size() < 3 ? PrefixRange() : beginning_like(text);
  const std::uint64_t* const keys = tables_.keys.data();
  const std::uint64_t* const begin = keys + range.begin();
  const std::uint64_t key = sort_key(text);
  const std::uint64_t* at = behind(begin, range.count(), key);
  if (at == begin) return longest_of_two(text);
  TokenPlace found = static_cast<TokenPlace>(at - keys - 1);
  std::size_t same = 2 + static_cast<std::size_t>(std::countl_zero(at[-1] ^ key)) / 8;
  if (at[-1] == key && text.size() <= 10 && facts_[found].length() == text.size()) return found;
  if (at[-1] == key || text.size() < same) {
    found = not_behind(found, text);
    same = alike(tables_.token(found), text);
  }
  while (facts_[found].length() > same) found = facts_[found].shorter;
  return found;
}

/// So that longest() doesn't wait for memory later.
void BpeEncoder::expect(std::string_view text) const {
  if (text.size() < 3) return;
  __builtin_prefetch(tables_.prefixes.data() +
                     prefix_place(prefix_of(text), tables_.prefixes.size()));
}

/// Of the first two bytes. The tokens that begin with both stand together, the pair itself first;
/// where the second is a zero, the first byte alone comes before it.
TokenPlace BpeEncoder::longest_of_two(std::string_view text) const {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const TokenPlace* const radix = tables_.radix.data();
  const TokenPlace alone = radix[byte(0) * std::size_t{256}];
  if (text.size() == 1) return alone;
  const std::size_t bucket = byte(0) * std::size_t{256} + byte(1);
  const TokenPlace pair = radix[bucket] + (byte(1) == 0 ? 1 : 0);
  return pair < radix[bucket + 1] && facts_[pair].length() == 2 ? pair : alone;
}

/// The same among the tokens whose key is that of the text, the last of which is given: keys are
/// alike of what is alike in ten bytes, and of what ends in zeros.
TokenPlace BpeEncoder::not_behind(TokenPlace last, std::string_view text) const {
  const std::uint64_t key = tables_.keys[last];
  const std::uint64_t* const keys = tables_.keys.data();
  const std::uint64_t* const end = keys + last + 1;
  const std::uint64_t* begin = end;
  while (begin != keys && begin[-1] == key) --begin;
  const std::uint64_t* const at = std::partition_point(begin, end, [&](const std::uint64_t& one) {
    return tables_.token(static_cast<TokenPlace>(&one - keys)) <= text;
  });
  return static_cast<TokenPlace>(at - keys - 1);
}

/// The rank of what they are merged to, or none.
TokenRank BpeEncoder::merge_of(TokenPlace left, TokenPlace right) const {
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
bool BpeEncoder::stay_apart(TokenPlace left, TokenPlace right) const {
  TokenRank limit = kNoToken;
  while (true) {
    if (merge_of(left, right) < limit) return false;
    const TokenFacts& of_left = facts_[left];
    const TokenFacts& of_right = facts_[right];
    const bool left_first = of_left.rank() > of_right.rank();
    // A single byte can't be undone: the other one is.
    if ((left_first && of_left.right != left) || of_right.left == right) {
      if (of_left.right == left) return true;
      limit = of_left.rank();
      left = of_left.right;
    } else {
      limit = of_right.rank() + 1;
      right = of_right.left;
    }
  }
}

/// The longest of `token` and its beginnings that may stand behind `last`, or none. Remembered, as
/// in most texts the same two come again and again: by how many beginnings it is further, beside
/// what the place doesn't say of the pair.
TokenPlace BpeEncoder::fitting(TokenPlace last, TokenPlace token) {
  const std::uint64_t mixed = pair_key(last, token) * kMixer & kPairMask;
  std::uint32_t& known = known_.data()[mixed >> kTagBits];
  const auto tag = static_cast<std::uint32_t>(mixed) << kStepBits;
  if ((known & ~kStepsMax) == tag && known != kNothingKnown) {
    for (std::uint32_t steps = known & kStepsMax; steps > 0; --steps) token = facts_[token].shorter;
    return token;
  }
  std::uint32_t steps = 0;
  while (token != kNoPlace && !stay_apart(last, token)) {
    token = facts_[token].shorter;
    ++steps;
  }
  known = steps < kStepsMax ? tag | steps : kNothingKnown;
  return token;
}

std::size_t BpeEncoder::count(std::string_view piece) {
  tokens_.clear();
  if (piece.empty()) return 0;
  TokenPlace token = longest(piece);
  if (facts_[token].length() == piece.size()) {
    tokens_.push_back(token);
    return 1;
  }
  // assign() would write over all that a longer piece before it had.
  dead_ends_.clear();
  dead_ends_.resize(piece.size() + 1);
  for (std::size_t at = 0; at < piece.size();) {
    if (token != kNoPlace) expect(piece.substr(at + facts_[token].length()));
    if (!tokens_.empty() && token != kNoPlace) token = fitting(tokens_.back(), token);
    if (token == kNoPlace) {
      dead_ends_[at] = true;
      at -= facts_[tokens_.back()].length();
      token = facts_[tokens_.back()].shorter;
      tokens_.pop_back();
    } else if (dead_ends_[at + facts_[token].length()]) {
      token = facts_[token].shorter;
    } else {
      tokens_.push_back(token);
      at += facts_[token].length();
      if (at < piece.size()) token = longest(piece.substr(at));
    }
  }
  return tokens_.size();
}

std::vector<TokenRank> BpeEncoder::encode(std::string_view piece) {
  count(piece);
  std::vector<TokenRank> ranks;
  for (const TokenPlace token : tokens_) ranks.push_back(facts_[token].rank());
  return ranks;
}

}  // namespace ba
