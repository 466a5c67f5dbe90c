// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/piece_counts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ba {
namespace {

template <typename Counts>
class PieceCountsOf : public testing::Test {
 protected:
  int find(const std::string& piece, const std::string& behind = "") {
    const auto key = key_of(piece, behind);
    return Counts::find(counts.place_of(key), key);
  }
  void keep(const std::string& piece, int count) {
    const auto key = key_of(piece, "");
    counts.keep(counts.place_of(key), key, count);
  }
  static typename Counts::Key key_of(const std::string& piece, const std::string& behind) {
    const std::string text = piece + behind;
    return Counts::key_of(text.data(), piece.size(), text.data() + text.size());
  }

  Counts counts;
};

using Widths = testing::Types<PieceCounts<1>, PieceCounts<2>, PieceCounts<4>>;
TYPED_TEST_SUITE(PieceCountsOf, Widths);

TYPED_TEST(PieceCountsOf, RemembersAPieceOfEachLengthWhateverIsBehindIt) {
  for (std::size_t size = 1; size <= TypeParam::kPieceMax; ++size) {
    const std::string piece(size, 'x');
    const int count = static_cast<int>(size);
    EXPECT_EQ(this->find(piece), 0);
    this->keep(piece, count);
    EXPECT_EQ(this->find(piece), count);
    EXPECT_EQ(this->find(piece, "xyz"), count);
    EXPECT_EQ(this->find(piece, std::string(40, 'x')), count);
    EXPECT_EQ(TypeParam::size_of(this->key_of(piece, "x")), size);
  }
}

TYPED_TEST(PieceCountsOf, TellsApartWhatDiffersInOneByteOrInLength) {
  const std::string piece(TypeParam::kPieceMax - 1, 'a');
  this->keep(piece, 3);
  for (std::size_t i = 0; i < piece.size(); ++i) {
    std::string other = piece;
    other[i] = 'b';
    EXPECT_EQ(this->find(other), 0);
  }
  EXPECT_EQ(this->find(piece + '\0'), 0);
  EXPECT_EQ(this->find(piece.substr(1)), 0);
}

TYPED_TEST(PieceCountsOf, ForgetsSomeWhereThereAreTooMany) {
  constexpr int kPieces = 400'000;
  constexpr std::size_t kRoom = TypeParam::kBytes / sizeof(typename TypeParam::Key);
  const auto count_of = [](int i) { return 1 + i % static_cast<int>(TypeParam::kPieceMax); };
  for (int i = 0; i < kPieces; ++i) this->keep(std::to_string(i), count_of(i));
  std::size_t kept = 0;
  for (int i = 0; i < kPieces; ++i) {
    const int found = this->find(std::to_string(i));
    if (found == 0) continue;
    ++kept;
    ASSERT_EQ(found, count_of(i));
  }
  EXPECT_GT(kept, kRoom / 10 * 9);
  EXPECT_LE(kept, kRoom);
}

}  // namespace
}  // namespace ba
