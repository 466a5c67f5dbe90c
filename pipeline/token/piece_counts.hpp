#pragma once
// SPDX-License-Identifier: Apache-2.0
// How many tokens short pieces have, of those that were met last: 65,536 of them in 1 MiB, about
// what a core's own cache holds. A value.

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace ba {

class PieceCounts {
 public:
  static constexpr std::size_t kPieceMax = 15;  ///< bytes; the sixteenth has length and count

  struct Key {
    std::uint64_t low = 0;
    std::uint64_t high = 0;  ///< the length in its highest byte
  };

  PieceCounts() : entries_(kEntries) {}

  /// Reads sixteen bytes where they are before the text's end.
  static Key key_of(const char* piece, std::size_t size, const char* text_end) {
    std::array<std::uint64_t, 2> words{};
    if (text_end - piece >= 16)
      std::memcpy(words.data(), piece, 16);
    else
      std::memcpy(words.data(), piece, size);
    constexpr std::uint64_t kAll = ~std::uint64_t{0};
    const std::uint64_t low_mask = size >= 8 ? kAll : ~(kAll << (8 * size));
    const std::uint64_t high_mask = size > 8 ? ~(kAll << (8 * (size - 8))) : 0;
    return {words[0] & low_mask, (words[1] & high_mask) | std::uint64_t{size} << 56};
  }

  /// So that find() doesn't wait for memory later.
  void expect(const Key& key) const { __builtin_prefetch(&entries_[place(key)]); }

  /// 0: it isn't there.
  int find(const Key& key) const {
    const Entry* const pair = &entries_[place(key)];
    for (int i = 0; i < 2; ++i)
      if (pair[i].low == key.low && (pair[i].high & kKeyBits) == key.high)
        return static_cast<int>(pair[i].high >> 60);
    return 0;
  }

  /// `count` is 1 to 15.
  void keep(const Key& key, int count) {
    Entry* const pair = &entries_[place(key)];
    pair[1] = pair[0];
    pair[0] = {key.low, key.high | static_cast<std::uint64_t>(count) << 60};
  }

 private:
  using Entry = Key;
  static constexpr std::size_t kEntries = 65'536;
  static constexpr std::uint64_t kKeyBits = ~(std::uint64_t{15} << 60);

  /// Of two neighbours.
  static std::size_t place(const Key& key) {
    const std::uint64_t mixed =
        (key.low ^ key.high * 0x9e37'79b9'7f4a'7c15) * 0xd6e8'feb8'6659'fd93;
    return static_cast<std::size_t>(mixed >> 49) * 2;
  }

  std::vector<Entry> entries_;
};

}  // namespace ba
