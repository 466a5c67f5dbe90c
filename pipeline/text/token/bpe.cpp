// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/bpe.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ba {
namespace {

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

// When pairs are merged instead of looking for the longest tokens: where these are short, and most
// of their pairs were never met. Then for some windows, as what follows is mostly alike.
constexpr std::size_t kStretch = 64;     // bytes that are looked at
constexpr std::size_t kLongToken = 3;    // bytes, on the average
constexpr std::size_t kUnknownPair = 3;  // one in so many bytes is many
constexpr int kWindows = 64;
constexpr std::size_t kShortPiece = 16;  // bytes, of which the first token has no more than:
constexpr std::size_t kShortBeginning = 2;

// How many tokens at a window's end are left to the next one: with two of random letters, one
// window in thirty has to begin again. And how many tokens earlier at most.
constexpr int kOpenTokens = 2;
constexpr std::size_t kTokensBackMax = 3;

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
      merges_(tables),
      window_(tables, merges_),
      known_(kKnown, kNothingKnown) {}

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

/// Undoes the merges of both, the latest first: at no time may there be a pair across the border
/// that would have been merged before.
bool BpeEncoder::stay_apart(TokenPlace left, TokenPlace right) const {
  TokenRank limit = kNoToken;
  while (true) {
    if (merges_.rank(left, right) < limit) return false;
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
  ++unknown_;
  std::uint32_t steps = 0;
  while (token != kNoPlace && !stay_apart(last, token)) {
    token = facts_[token].shorter;
    ++steps;
  }
  known = steps < kStepsMax ? tag | steps : kNothingKnown;
  return token;
}

/// Appends the tokens of a stretch, or a little more, from `at` to what it gives; `token` is the
/// longest that begins there. Those before may change.
std::size_t BpeEncoder::take_longest(std::string_view piece, std::size_t at, TokenPlace token) {
  const std::size_t enough = std::min(piece.size(), at + kStretch);
  std::size_t found = tokens_.size();
  while (true) {
    if (token != kNoPlace) expect(piece.substr(at + facts_[token].length()));
    if (!tokens_.empty() && token != kNoPlace) token = fitting(tokens_.back(), token);
    if (token == kNoPlace) {
      dead_ends_.data()[at / 64] |= std::uint64_t{1} << (at % 64);
      at -= facts_[tokens_.back()].length();
      token = facts_[tokens_.back()].shorter;
      tokens_.pop_back();
      // Of what was found here before, longer ones may never have been tried.
      if (tokens_.size() < found) token = longest(piece.substr(at));
      found = std::min(found, tokens_.size());
    } else if (is_dead_end(at + facts_[token].length())) {
      token = facts_[token].shorter;
    } else {
      tokens_.push_back(token);
      at += facts_[token].length();
      if (at >= enough) return at;
      token = longest(piece.substr(at));
    }
  }
}

/// The same by merging what is in a window: up to where it isn't known what comes of the bytes
/// behind it, and from a token or two earlier where the first one doesn't stay apart from what is
/// before it. Gives `at` where that leads nowhere.
std::size_t BpeEncoder::take_merged(std::string_view piece, std::size_t at) {
  std::size_t begin = at;
  std::size_t kept = tokens_.size();
  const std::size_t kept_min = kept - std::min(kept, kTokensBackMax);
  while (true) {
    window_.merge(piece.substr(begin, MergeWindow::kBytesMax));
    if (kept == 0 || stay_apart(tokens_[kept - 1], window_.token(0))) break;
    if (kept == kept_min) return at;
    begin -= facts_[tokens_[--kept]].length();
  }
  if (begin + MergeWindow::kBytesMax < piece.size()) window_.drop_last(kOpenTokens);
  const std::size_t end = begin + window_.end();
  if (end <= at) return at;
  tokens_.resize(kept);
  for (std::uint64_t left = window_.begins(); left != 0; left &= left - 1)
    tokens_.push_back(window_.token(static_cast<std::size_t>(std::countr_zero(left))));
  return end;
}

/// Of a piece that is no token; `token` is the longest that it begins with.
void BpeEncoder::take_all(std::string_view piece, TokenPlace token) {
  dead_ends_.assign(piece.size() / 64 + 1, 0);
  int windows = 0;
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t begin = at;
    const std::size_t tokens = tokens_.size();
    const std::size_t unknown = unknown_;
    if (windows > 0)
      at = take_merged(piece, at);
    else
      at = take_longest(piece, at, at == 0 ? token : longest(piece.substr(at)));
    const std::size_t bytes = at - begin;
    const bool merging_pays = tokens_.size() > tokens + bytes / kLongToken;
    const bool slow = (unknown_ - unknown) * kUnknownPair > bytes;
    if (windows > 0)
      windows = merging_pays ? windows - 1 : 0;
    else
      windows = merging_pays && slow ? kWindows : 0;
  }
}

std::size_t BpeEncoder::count(std::string_view piece) {
  tokens_.clear();
  if (piece.empty()) return 0;
  const TokenPlace token = longest(piece);
  const std::size_t length = facts_[token].length();
  const bool ends_in_ascii = static_cast<unsigned char>(piece.back()) < 0x80;
  if (length == piece.size())
    tokens_.push_back(token);
  else if (length <= kShortBeginning && piece.size() <= kShortPiece && ends_in_ascii)
    take_merged(piece, 0);
  else
    take_all(piece, token);
  return tokens_.size();
}

std::vector<TokenRank> BpeEncoder::encode(std::string_view piece) {
  count(piece);
  std::vector<TokenRank> ranks;
  for (const TokenPlace token : tokens_) ranks.push_back(facts_[token].rank());
  return ranks;
}

}  // namespace ba
