#pragma once
// SPDX-License-Identifier: Apache-2.0
// How many tokens short pieces have, of those that were met last. One table each is of pieces of up
// to 7, 15 and 30 bytes, 1 MiB each: together about what a core's own cache holds. Values.

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace ba {

/// A piece; in its last bits, how many bytes it has and how many tokens.
template <std::size_t kWords>
struct PieceKey {
  std::array<std::uint64_t, kWords> words{};
};

template <std::size_t kWords>
class PieceCounts {
  static_assert(kWords == 1 || kWords == 2 || kWords == 4);
  static constexpr int kFieldBits = kWords < 4 ? 4 : 8;  ///< of each of the two numbers
  static constexpr int kCountShift = 64 - kFieldBits;
  static constexpr int kSizeShift = kCountShift - kFieldBits;
  static constexpr std::size_t kLast = kWords - 1;
  static constexpr std::size_t kWays = kWords < 4 ? 4 : 2;

 public:
  static constexpr std::size_t kPieceMax = 8 * kWords - 2 * kFieldBits / 8;
  using Key = PieceKey<kWords>;

  /// Pieces that have one place, in one line of a core's cache.
  struct alignas(kWays * sizeof(Key)) Set {
    std::array<Key, kWays> keys;
  };
  using Place = const Set*;  ///< where the piece is, if it is anywhere

  static constexpr int kPlaceBits = kWords == 1 ? 15 : 14;
  static constexpr std::size_t kBytes = sizeof(Set) << kPlaceBits;
  static_assert(kBytes == std::size_t{1} << 20);

  PieceCounts() : sets_(std::size_t{1} << kPlaceBits) {}

  /// Reads whole words where they are before the text's end.
  [[gnu::always_inline]] static Key key_of(const char* piece, std::size_t size,
                                           const char* text_end) {
    Key key;
    if (text_end - piece >= static_cast<std::ptrdiff_t>(sizeof key)) [[likely]] {
      std::memcpy(&key, piece, sizeof key);
      for (std::size_t i = 0; i < kWords; ++i) key.words[i] &= kMasks.data()[size].words[i];
    } else {
      std::memcpy(&key, piece, size);
    }
    key.words[kLast] |= std::uint64_t{size} << kSizeShift;
    return key;
  }
  static std::size_t size_of(const Key& key) {
    return key.words[kLast] >> kSizeShift & ((1U << kFieldBits) - 1);
  }

  [[gnu::always_inline]] Place place_of(const Key& key) const {
    std::uint64_t mixed = key.words[0];
    if constexpr (kWords > 1) mixed ^= key.words[1] * 0x9e37'79b9'7f4a'7c15;
    mixed *= 0xd6e8'feb8'6659'fd93;
    if constexpr (kWords > 2)
      mixed ^= (key.words[2] ^ key.words[3] * 0x9e37'79b9'7f4a'7c15) * 0xa076'1d64'78bd'642f;
    return sets_.data() + (mixed >> (64 - kPlaceBits));
  }

  /// So that find() doesn't wait for memory later.
  [[gnu::always_inline]] static void expect(Place place) { __builtin_prefetch(place); }

  /// 0: it isn't there. Without a branch that nobody can foresee.
  [[gnu::always_inline]] static int find(Place place, const Key& key) {
    std::uint64_t found = 0;
    for (const Key& one : place->keys) found = differs(one, key) ? found : one.words[kLast];
    return static_cast<int>(found >> kCountShift);
  }

  /// `count` is 1 to kPieceMax; the place is place_of() the key, which isn't there. Where all is
  /// taken, another goes, whichever: of texts that come again the oldest would be the worst choice.
  void keep(Place place, const Key& key, int count) {
    Set& set = sets_[static_cast<std::size_t>(place - sets_.data())];
    std::size_t way = 0;
    while (way < kWays && set.keys[way].words[kLast] != 0) ++way;
    Key& kept = set.keys[way < kWays ? way : kept_ % kWays];
    ++kept_;
    kept = key;
    kept.words[kLast] |= static_cast<std::uint64_t>(count) << kCountShift;
  }

 private:
  [[gnu::always_inline]] static bool differs(const Key& entry, const Key& key) {
    constexpr std::uint64_t kWithoutCount = ~std::uint64_t{0} >> kFieldBits;
    std::uint64_t bits = (entry.words[kLast] ^ key.words[kLast]) & kWithoutCount;
    for (std::size_t i = 0; i < kLast; ++i) bits |= entry.words[i] ^ key.words[i];
    return bits != 0;
  }

  /// By size: what of the words belongs to the piece.
  static constexpr std::array<Key, kPieceMax + 1> kMasks = [] {
    std::array<Key, kPieceMax + 1> masks;
    for (std::size_t size = 0; size <= kPieceMax; ++size)
      for (std::size_t byte = 0; byte < size; ++byte)
        masks[size].words[byte / 8] |= std::uint64_t{0xff} << (byte % 8 * 8);
    return masks;
  }();

  std::vector<Set> sets_;
  std::size_t kept_ = 0;  ///< how many times
};

}  // namespace ba
