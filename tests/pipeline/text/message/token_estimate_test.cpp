// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/token_estimate.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ba {
namespace {

TEST(TokenEstimate, IsAQuarterOfTheCharacters) {
  EXPECT_EQ(estimated_tokens(""), 0);
  EXPECT_EQ(estimated_tokens("abc"), 0);
  EXPECT_EQ(estimated_tokens("abcd"), 1);
  EXPECT_EQ(estimated_tokens(std::string(4000, 'x')), 1000);
  EXPECT_EQ(estimated_tokens("äöüß"), 1) << "code points, not bytes";
}

TEST(TokenEstimate, CountsAHanCharacterForTwoThirds) {
  EXPECT_EQ(estimated_tokens("三個漢字"), 2) << "4 / 1.5";
  EXPECT_EQ(estimated_tokens("一"), 0) << "1 / 1.5";
  EXPECT_EQ(estimated_tokens("ab三個"), 1) << "4 / (4 · 0.5 + 1.5 · 0.5)";
}

TEST(TokenEstimate, HasTheRangeFrom4E00To9FFF) {
  EXPECT_EQ(estimated_tokens("\u4E00\u9FFF\u4E00"), 2);
  EXPECT_EQ(estimated_tokens("\u4DFF\uA000\u4DFF"), 0) << "beside the range";
  EXPECT_EQ(estimated_tokens("한국어 글"), 1) << "5 / 4";
}

TEST(TokenEstimate, BearsAnyBytes) {
  EXPECT_EQ(estimated_tokens("\xe5"), 0);
  EXPECT_GE(estimated_tokens(std::string(1 << 24, '\xff')), 1);
}

}  // namespace
}  // namespace ba
