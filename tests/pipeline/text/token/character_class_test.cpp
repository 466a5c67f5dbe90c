// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/character_class.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/pipeline/text/token/mixed_text.hpp"

namespace ba {
namespace {

using C = CharacterClass;

struct Range {
  char32_t first;
  char32_t last;
  CharacterClass kind;
};

TEST(CharacterClass, IsThatOfUnicodeForEachCharacter) {
  const Range ranges[] = {
#include "pipeline/text/token/character_ranges.inc"
  };
  std::vector<CharacterClass> expected(0x110000, C::Other);
  for (const Range& range : ranges)
    for (char32_t c = range.first; c <= range.last; ++c) expected[c] = range.kind;
  const CharacterTable& table = character_table();
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    std::string text;
    MixedText::append(text, c);
    const Character found = character_at(table, text.data());
    ASSERT_EQ(found.size, text.size()) << static_cast<std::uint32_t>(c);
    ASSERT_EQ(found.kind, expected[c]) << static_cast<std::uint32_t>(c);
  }
}

}  // namespace
}  // namespace ba
