#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a character is where text is cut into pieces: its class of Unicode 16, and how many bytes it
// has. Constants; any thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

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

constexpr bool is_letter(CharacterClass c) {
  return c == CharacterClass::Upper || c == CharacterClass::Lower || c == CharacterClass::Letter;
}
constexpr bool is_space(CharacterClass c) {
  return c == CharacterClass::Space || c == CharacterClass::LineEnd;
}

/// Two steps: 256 characters each share a block of classes.
struct CharacterTable {
  std::array<std::uint8_t, 0x1100> block{};
  std::array<std::array<CharacterClass, 256>, 256> classes{};

  CharacterClass of(char32_t c) const { return classes[block[c >> 8]][c & 0xff]; }
};
const CharacterTable& character_table();

struct Character {
  CharacterClass kind;
  std::size_t size;  ///< in bytes
};

/// The one at the beginning of well-formed UTF-8, which isn't empty.
[[gnu::always_inline]] inline Character character_at(const CharacterTable& table,
                                                     const char* text) {
  const auto byte = [&](int i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const auto rest = [&](int i) { return static_cast<char32_t>(byte(i) & 0x3f); };
  if (first < 0x80) return {table.classes[0][first], 1};
  if (first < 0xe0) return {table.of(static_cast<char32_t>(first & 0x1f) << 6 | rest(1)), 2};
  if (first < 0xf0)
    return {table.of(static_cast<char32_t>(first & 0x0f) << 12 | rest(1) << 6 | rest(2)), 3};
  return {
      table.of(static_cast<char32_t>(first & 0x07) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3)),
      4};
}

}  // namespace ba
