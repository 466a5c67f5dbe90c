#pragma once
// SPDX-License-Identifier: Apache-2.0
// How many tokens short pieces have, of those that were met last: 65,536 of them in 1 MiB, about
// what a core's own cache holds. A value.

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace ba {

/// A piece of at most fifteen bytes; in the sixteenth, of four bits each, how many they are and how
/// many tokens.
struct PieceKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

class PieceCounts {
 public:
  static constexpr std::size_t kPieceMax = 15;
  static constexpr int kCountMax = 15;
  using Place = const PieceKey*;  ///< of two neighbours, one of which is the piece if any is

  PieceCounts() : entries_(kEntries) {}

  /// Reads sixteen bytes where they are before the text's end.
  [[gnu::always_inline]] static PieceKey key_of(const char* piece, std::size_t size,
                                                const char* text_end) {
    PieceKey key;
    if (text_end - piece >= static_cast<std::ptrdiff_t>(sizeof key))
      std::memcpy(&key, piece, sizeof key);
    else
      std::memcpy(&key, piece, size);
    const PieceKey& mask = kMasks.data()[size];
    return {key.low & mask.low, (key.high & mask.high) | std::uint64_t{size} << 56};
  }
  static std::size_t size_of(const PieceKey& key) { return key.high >> 56; }

  [[gnu::always_inline]] Place place_of(const PieceKey& key) const {
    const std::uint64_t mixed =
        (key.low ^ key.high * 0x9e37'79b9'7f4a'7c15) * 0xd6e8'feb8'6659'fd93;
    return entries_.data() + (mixed >> 49) * 2;
  }

  /// So that find() doesn't wait for memory later.
  [[gnu::always_inline]] static void expect(Place place) { __builtin_prefetch(place); }

  /// 0: it isn't there. Without a branch that nobody can foresee.
  [[gnu::always_inline]] static int find(Place place, const PieceKey& key) {
    const std::uint64_t first = differs(place[0], key) ? 0 : place[0].high;
    const std::uint64_t found = differs(place[1], key) ? first : place[1].high;
    return static_cast<int>(found >> 60);
  }

  /// `count` is 1 to kCountMax; the place is place_of() the key.
  void keep(Place place, const PieceKey& key, int count) {
    PieceKey* const entry = entries_.data() + (place - entries_.data());
    entry[1] = entry[0];
    entry[0] = {key.low, key.high | static_cast<std::uint64_t>(count) << 60};
  }

 private:
  static constexpr std::size_t kEntries = 65'536;

  [[gnu::always_inline]] static bool differs(const PieceKey& entry, const PieceKey& key) {
    constexpr std::uint64_t kCountBits = std::uint64_t{15} << 60;
    return ((entry.low ^ key.low) | ((entry.high ^ key.high) & ~kCountBits)) != 0;
  }

  /// By size: what of sixteen bytes belongs to the piece.
  static constexpr std::array<PieceKey, kPieceMax + 1> kMasks = [] {
    std::array<PieceKey, kPieceMax + 1> masks;
    for (std::size_t size = 0; size <= kPieceMax; ++size)
      for (std::size_t byte = 0; byte < size; ++byte)
        (byte < 8 ? masks[size].low : masks[size].high) |= std::uint64_t{0xff} << (byte % 8 * 8);
    return masks;
  }();

  std::vector<PieceKey> entries_;
};

}  // namespace ba
