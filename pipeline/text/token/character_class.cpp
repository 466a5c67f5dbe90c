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

/// Blocks that are alike are one: there are about 200.
std::unique_ptr<const CharacterTable> make_table() {
  std::vector<CharacterClass> all(0x110000, C::Other);
  for (const Range& range : kRanges)
    std::fill(all.begin() + range.first, all.begin() + range.last + 1, range.kind);
  auto table = std::make_unique<CharacterTable>();
  std::size_t blocks = 0;
  for (std::size_t from = 0; from < all.size(); from += 256) {
    std::array<CharacterClass, 256> block;
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(from), 256, block.begin());
    const auto end = table->classes.begin() + static_cast<std::ptrdiff_t>(blocks);
    const auto same = std::find(table->classes.begin(), end, block);
    if (same == end) {
      BA_ASSERT(blocks < table->classes.size());
      table->classes[blocks++] = block;
    }
    table->block[from / 256] = static_cast<std::uint8_t>(same - table->classes.begin());
  }
  return table;
}

}  // namespace

const CharacterTable& character_table() {
  static const std::unique_ptr<const CharacterTable> kTable = make_table();
  return *kTable;
}

}  // namespace ba
