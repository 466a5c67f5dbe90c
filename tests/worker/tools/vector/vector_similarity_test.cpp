// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_similarity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ba {
namespace {

using enum VectorDistance;

TEST(VectorSimilarity, IsGreaterTheNearerTwoVectorsAre) {
  EXPECT_EQ(score_of(Cosine, {1, 0}, {5, 0}), 1);
  EXPECT_EQ(score_of(Cosine, {1, 0}, {0, 3}), 0);
  EXPECT_EQ(score_of(Cosine, {1, 0}, {-2, 0}), -1);
  EXPECT_EQ(score_of(Cosine, {1, 0}, {1, 1}), 0.707107);
  EXPECT_EQ(score_of(L2, {1, 2}, {1, 2}), 1);
  EXPECT_EQ(score_of(L2, {0, 0}, {3, 4}), 0.166667);
  EXPECT_EQ(score_of(InnerProduct, {1, 2}, {3, -4}), -5);
}

TEST(VectorSimilarity, IsTheSameByWhatPgvectorsOperatorsGive) {
  EXPECT_EQ(score_of_operator(Cosine, 1 - std::sqrt(0.5)), score_of(Cosine, {1, 0}, {1, 1}));
  EXPECT_EQ(score_of_operator(L2, 5), score_of(L2, {0, 0}, {3, 4}));
  EXPECT_EQ(score_of_operator(InnerProduct, 5), score_of(InnerProduct, {1, 2}, {3, -4}));
}

TEST(VectorSimilarity, IsNoneWhereThereIsNoSuchNumber) {
  EXPECT_EQ(score_of(Cosine, {1, 0}, {0, 0}), std::nullopt);
  EXPECT_EQ(score_of(L2, {1, 0}, {0, 0}), 0.5);
  EXPECT_EQ(score_of(InnerProduct, {1e200, 0}, {1e200, 0}), std::nullopt);
  EXPECT_EQ(score_of_operator(Cosine, std::nan("")), std::nullopt);
  EXPECT_EQ(score_of_operator(L2, -std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(score_of_operator(InnerProduct, std::numeric_limits<double>::infinity()), std::nullopt);
}

TEST(VectorSimilarity, HasNoNegativeZero) {
  EXPECT_FALSE(std::signbit(*score_of(InnerProduct, {1, 0}, {-0.0, -1})));
  EXPECT_FALSE(std::signbit(*score_of(Cosine, {1, 0}, {-1e-9, 1})));
}

}  // namespace
}  // namespace ba
