// SPDX-License-Identifier: Apache-2.0
#include "storage/history/known_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba::storage {
namespace {

using testing::HasSubstr;

const IncarnationId kSelf(4711);

TEST(KnownHistory, NothingIsExpectedOfAnIncarnationThatHasHeardNothing) {
  KnownHistory history;
  history.entered(kSelf);
  EXPECT_TRUE(history.expected(kSelf)->empty());
  EXPECT_TRUE(history.compare(kSelf, {}, {}));
}

TEST(KnownHistory, TheNewestMarkOfEachSlotIsExpected) {
  KnownHistory history;
  history.acknowledged(kSelf, 1, 7);
  history.acknowledged(kSelf, 1, 6);
  history.acknowledged(kSelf, 2, 1);
  EXPECT_EQ(*history.expected(kSelf), (HistoryMarks{{1, 7}, {2, 1}}));
  EXPECT_TRUE(history.expected(IncarnationId(1))->empty());
}

TEST(KnownHistory, MoreThanIsExpectedIsNothingLost) {
  KnownHistory history;
  history.acknowledged(kSelf, 1, 7);
  EXPECT_TRUE(history.compare(kSelf, *history.expected(kSelf), {{1, 8}, {2, 1}}));
  EXPECT_TRUE(history.expected(kSelf));
}

TEST(KnownHistory, AMarkThatIsBehindMakesItVoidForEver) {
  KnownHistory history;
  history.acknowledged(kSelf, 1, 7);
  history.acknowledged(kSelf, 2, 1);
  const HistoryMarks expected = *history.expected(kSelf);
  const auto behind = history.compare(kSelf, expected, {{1, 6}, {2, 1}});
  ASSERT_FALSE(behind);
  EXPECT_EQ(behind.error().code, ErrorCode::Fenced);
  EXPECT_THAT(behind.error().message, HasSubstr("incarnation 4711 is void"));
  EXPECT_THAT(behind.error().message, HasSubstr("transaction 7 of session 1"));
  ASSERT_FALSE(history.expected(kSelf));
  EXPECT_EQ(history.expected(kSelf).error().message, behind.error().message);
  EXPECT_TRUE(history.expected(IncarnationId(1))) << "another life is not concerned";
}

TEST(KnownHistory, AMarkThatIsMissingMakesItVoid) {
  KnownHistory history;
  history.acknowledged(kSelf, 3, 1);
  EXPECT_FALSE(history.compare(kSelf, *history.expected(kSelf), {{1, 100}}));
  EXPECT_FALSE(history.expected(kSelf));
}

TEST(KnownHistory, AnIncarnationThatIsGoneIsVoidAndAStrangeOneIsNot) {
  KnownHistory history;
  history.entered(kSelf);
  EXPECT_THAT(history.unknown(IncarnationId(1)).message, HasSubstr("knows no incarnation 1"));
  EXPECT_TRUE(history.expected(IncarnationId(1)));
  EXPECT_THAT(history.unknown(kSelf).message, HasSubstr("went back in time"));
  EXPECT_FALSE(history.expected(kSelf));
}

}  // namespace
}  // namespace ba::storage
