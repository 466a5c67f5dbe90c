#pragma once
// SPDX-License-Identifier: Apache-2.0
// A byte-pair vocabulary, prepared for encoding: everything that can be known of its tokens before
// there is a text. Made once, at build time for the vocabularies that come with the program; then
// only read. Values; any thread.

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace ba {

/// A token's rank: the lower, the earlier it is merged.
using TokenRank = std::uint32_t;
inline constexpr TokenRank kNoToken = 0xffff'ffff;

/// A token's place in the order of the tokens' bytes. Tokens are known by it here, since those that
/// begin alike are then near each other in memory.
using TokenPlace = std::uint32_t;
inline constexpr TokenPlace kNoPlace = 0xffff'ffff;

struct TokenFacts {
  TokenPlace left;  ///< what it is merged of; of a single byte, itself
  TokenPlace right;
  TokenPlace shorter;  ///< its longest proper beginning that is a token, or none
  std::uint32_t rank_and_length;

  TokenRank rank() const { return rank_and_length >> 8; }
  std::size_t length() const { return rank_and_length & 0xff; }
};

/// So many bits for each token of a pair, and for the rank of what it is merged to.
inline constexpr int kRankBits = 20;
inline constexpr TokenRank kTokensMax = TokenRank{1} << kRankBits;

/// The tokens that begin with the same three bytes: there is at least one, but none where it is
/// empty.
class PrefixRange {
 public:
  PrefixRange() = default;
  PrefixRange(std::uint32_t prefix, TokenPlace begin, std::uint32_t count)
      : bits_(std::uint64_t{prefix} << 40 | std::uint64_t{begin} << kCountBits | count) {}

  bool empty() const { return bits_ == 0; }
  std::uint32_t prefix() const { return static_cast<std::uint32_t>(bits_ >> 40); }
  TokenPlace begin() const {
    return static_cast<TokenPlace>(bits_ >> kCountBits & (kTokensMax - 1));
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(bits_ & kCountMax); }

 private:
  static constexpr int kCountBits = 40 - kRankBits;
  static constexpr std::uint32_t kCountMax = (1U << kCountBits) - 1;
  static_assert(kCountMax + 1 >= kTokensMax);

  std::uint64_t bits_ = 0;
};

/// Views into memory that whoever made them keeps.
struct BpeTables {
  std::span<const TokenFacts> facts;      ///< by place, as the next two
  std::span<const std::uint64_t> keys;    ///< sort_key() of each
  std::span<const std::uint32_t> begins;  ///< into bytes; one more than there are tokens
  std::string_view bytes;
  std::span<const TokenPlace> radix;     ///< the first token whose two first bytes are not less
  std::span<const std::uint64_t> pairs;  ///< hashed by pair_place(): key and merged rank, or none

  std::span<const PrefixRange> prefixes;  ///< hashed by prefix_place()
  std::span<const TokenPlace> places;     ///< by rank
  std::span<const std::uint64_t>
      byte_pairs;                         ///< by two bytes: their token's rank and place, or none
  std::span<const std::uint64_t> joints;  ///< bits by joint_place(): what stands within tokens

  std::string_view token(TokenPlace place) const {
    return bytes.substr(begins[place], begins[place + 1] - begins[place]);
  }
};

inline constexpr std::uint64_t kNoPair = ~std::uint64_t{0};
constexpr std::uint64_t pair_key(TokenPlace left, TokenPlace right) {
  return std::uint64_t{left} << kRankBits | right;
}
/// Where a pair is looked for first; then in the places after it, up to an empty one. There are
/// `places`, a power of two.
constexpr std::size_t pair_place(std::uint64_t key, std::size_t places) {
  return static_cast<std::size_t>((key * 0x9e37'79b9'7f4a'7c15) >> 20) & (places - 1);
}

/// The first three bytes of a text that has them.
inline std::uint32_t prefix_of(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(text[i])};
  };
  return byte(0) << 16 | byte(1) << 8 | byte(2);
}
/// As pair_place().
constexpr std::size_t prefix_place(std::uint32_t prefix, std::size_t places) {
  return static_cast<std::size_t>((prefix * std::uint64_t{0x9e37'79b9'7f4a'7c15}) >> 30) &
         (places - 1);
}

/// The third to the tenth byte as a number that orders texts as their bytes do; zeros where there
/// are none.
inline std::uint64_t sort_key(std::string_view text) {
  std::uint64_t key = 0;
  if (text.size() >= 10) {
    std::memcpy(&key, text.data() + 2, sizeof key);
    return __builtin_bswap64(key);
  }
  for (std::size_t i = 2; i < text.size(); ++i)
    key |= std::uint64_t{static_cast<unsigned char>(text[i])} << (72 - 8 * i);
  return key;
}

/// `memory` is what make_bpe_tables() gave (ops/tokens), aligned to eight bytes; it outlives the
/// views.
BpeTables read_bpe_tables(std::string_view memory);

}  // namespace ba
