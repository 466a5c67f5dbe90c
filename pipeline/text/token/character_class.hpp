#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a character is where text is cut into pieces: its class of Unicode 16, and how many bytes it
// has. Constants; any thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ba {

enum class CharacterClass : std::uint8_t {
  Other,   ///< punctuation, symbols, controls, what isn't assigned
  Upper,   ///< Lu, Lt
  Lower,   ///< Ll
  Letter,  ///< Lm, Lo
  Mark,    ///< M
  Number,  ///< N
  Space,   ///< White_Space but the next
  LineEnd  ///< CR, LF
};
inline constexpr std::size_t kCharacterClasses = 8;

constexpr bool is_letter(CharacterClass c) {
  return c == CharacterClass::Upper || c == CharacterClass::Lower || c == CharacterClass::Letter;
}
constexpr bool is_space(CharacterClass c) {
  return c == CharacterClass::Space || c == CharacterClass::LineEnd;
}

/// Whether eight bytes are ASCII.
inline bool are_ascii(const char* eight_bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, eight_bytes, sizeof word);
  return (word & 0x8080'8080'8080'8080) == 0;
}

/// Two steps: 64 characters share a block of classes. Blocks that are alike are one; the first ones
/// are of one class each.
struct CharacterTable {
  static constexpr std::size_t kBlocksMax = 512;
  using Block = std::array<CharacterClass, 64>;

  std::array<CharacterClass, 128> ascii{};
  /// By six bits of each of two bytes: of a character of three bytes its block, of one of two bytes
  /// the block of its class, so that nobody has to foresee which of both it is.
  std::array<std::uint16_t, 4096> by_two_bytes{};
  std::array<std::uint16_t, 0x4400> by_code_point{};  ///< without its last six bits
  std::array<Block, kBlocksMax> blocks{};
};
const CharacterTable& character_table();

struct Character {
  CharacterClass kind;
  std::size_t size;  ///< in bytes
};

/// The one at the beginning of well-formed UTF-8, which isn't empty.
[[gnu::always_inline]] inline Character character_at(const CharacterTable& table,
                                                     const char* text) {
  const auto low = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(text[i]) & 0x3f);
  };
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {table.ascii.data()[first], 1};
  if (first < 0xf0) {
    const std::size_t last = first < 0xe0 ? 1 : 2;
    const CharacterTable::Block& block =
        table.blocks.data()[table.by_two_bytes.data()[low(0) << 6 | low(1)]];
    return {block.data()[low(last)], last + 1};
  }
  const std::size_t high = (low(0) & 7) << 12 | low(1) << 6 | low(2);
  return {table.blocks.data()[table.by_code_point.data()[high]].data()[low(3)], 4};
}

}  // namespace ba
