// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/block_scanner.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "pipeline/text/token/piece_scanner.hpp"
#include "tests/pipeline/text/token/mixed_text.hpp"

namespace ba {
namespace {

/// From each piece's beginning: the pieces of the block are those of the scanner. Gives how many
/// pieces the blocks had at once, together.
template <auto Begins, auto Next>
int compare(const std::string& text) {
  const PieceScanner scanner(text);
  int found = 0;
  for (const char* at = scanner.begin(); scanner.end() - at >= std::ptrdiff_t{kScannedAtOnce};) {
    const std::uint64_t begins = Begins(at);
    EXPECT_EQ(begins & 1, 1u) << text;
    const char* piece = at;
    for (std::uint64_t left = begins & ~std::uint64_t{1}; left != 0; left &= left - 1) {
      const char* const next = (scanner.*Next)(piece);
      EXPECT_EQ(next - at, std::countr_zero(left)) << testing::PrintToString(text);
      if (next - at != std::countr_zero(left)) return found;
      piece = next;
      ++found;
    }
    at = (scanner.*Next)(at);
  }
  return found;
}
int compare_both(const std::string& text) {
  return compare<cl100k_begins, &PieceScanner::cl100k_end>(text) +
         compare<o200k_begins, &PieceScanner::o200k_end>(text);
}

TEST(BlockScanner, FindsThePiecesOfAscii) {
  MixedText mixed(31);
  int found = 0;
  for (int i = 0; i < 4000; ++i) found += compare_both(mixed.ascii(80));
  EXPECT_GT(found, 1'000'000);
}

TEST(BlockScanner, StopsBeforeWhatIsBeyondAscii) {
  MixedText mixed(32);
  int found = 0;
  for (int i = 0; i < 4000; ++i) found += compare_both(mixed.ascii(30) + mixed.any(30));
  EXPECT_GT(found, 100'000);
}

/// Each two of them, at each distance from the block's end.
TEST(BlockScanner, DoesNotGuessWhatComesBehindTheBlock) {
  const std::string ends[] = {"a", "B", "1", " ", "\t", "\n", "'", "/", "!", "\u00e9"};
  for (const std::string& first : ends)
    for (const std::string& second : ends)
      for (const std::string& third : ends)
        for (const char* before : {"a", "it'", "x ", "!", "1", " "}) {
          std::string text(kScannedAtOnce - 6, '.');
          text += before + first + second + third + first + "l" + third + second;
          text += std::string(kScannedAtOnce, 'e');
          for (std::size_t skipped = 0; skipped < 12; ++skipped) compare_both(text.substr(skipped));
        }
}

TEST(BlockScanner, TakesMostOfABlockOfPlainText) {
  const std::string prose = "The quick brown fox jumps over the lazy dog, isn't it? 12345 times\n";
  EXPECT_EQ(std::popcount(cl100k_begins(prose.data())), 18);
  EXPECT_EQ(std::popcount(o200k_begins(prose.data())), 17);
}

}  // namespace
}  // namespace ba
