// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/character_class.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "pipeline/base/assert.hpp"

namespace ba {
namespace {

using C = CharacterClass;

struct Range {
  char32_t first;
  char32_t last;
  CharacterClass kind;
};
constexpr Range kRanges[] = {
#include "pipeline/text/token/character_ranges.inc"
};

using Block = CharacterTable::Block;

/// The place of a block like this one, among those that there are or behind them.
std::uint16_t place_of(const Block& block, CharacterTable& table, std::size_t& blocks) {
  const auto end = table.blocks.begin() + static_cast<std::ptrdiff_t>(blocks);
  const auto same = std::find(table.blocks.begin(), end, block);
  if (same == end) {
    BA_ASSERT(blocks < table.blocks.size());
    table.blocks[blocks++] = block;
  }
  return static_cast<std::uint16_t>(same - table.blocks.begin());
}

std::unique_ptr<const CharacterTable> make_table() {
  std::vector<CharacterClass> all(0x110000, C::Other);
  for (const Range& range : kRanges)
    std::fill(all.begin() + range.first, all.begin() + range.last + 1, range.kind);
  auto table = std::make_unique<CharacterTable>();
  std::copy_n(all.begin(), table->ascii.size(), table->ascii.begin());
  std::size_t blocks = 0;
  for (; blocks < kCharacterClasses; ++blocks)
    table->blocks[blocks].fill(static_cast<CharacterClass>(blocks));
  for (std::size_t high = 0; high < table->by_code_point.size(); ++high) {
    Block block;
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(high * block.size()), block.size(),
                block.begin());
    table->by_code_point[high] = place_of(block, *table, blocks);
  }
  constexpr std::size_t kOfTwoBytes = 0x20 << 6;  // code points; behind them, those of three
  for (std::size_t bits = 0; bits < kOfTwoBytes; ++bits) {
    table->by_two_bytes[bits] = static_cast<std::uint16_t>(all[bits]);
    table->by_two_bytes[kOfTwoBytes + bits] =
        bits < 0x400 ? table->by_code_point[bits] : std::uint16_t{0};
  }
  return table;
}

}  // namespace

const CharacterTable& character_table() {
  static const std::unique_ptr<const CharacterTable> kTable = make_table();
  return *kTable;
}

}  // namespace ba
