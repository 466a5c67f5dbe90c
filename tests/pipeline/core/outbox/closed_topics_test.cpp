// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/outbox/closed_topics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(ClosedTopics, AreLeftOutUntilTheyAreTriedAgainAndCountAsClosedUntilARecordIsOut) {
  ClosedTopics closed;
  EXPECT_FALSE(closed.any());
  closed.close({"a", "b"}, {{"a", "no right"}});
  EXPECT_THAT(closed.left_out(), ElementsAre("a"));
  closed.try_again();
  EXPECT_THAT(closed.left_out(), IsEmpty());
  EXPECT_THAT(closed.reasons(), ElementsAre(Pair("a", "no right")));
  closed.sent({"b"});
  EXPECT_TRUE(closed.any());
  closed.sent({"a", "b"});
  EXPECT_FALSE(closed.any());
}

TEST(ClosedTopics, AreNoneWhereNothingIsPending) {
  ClosedTopics closed;
  closed.close({"a"}, {{"a", "no right"}});
  closed.try_again();
  closed.none_pending();
  EXPECT_FALSE(closed.any());
  EXPECT_EQ(closed.wait(5s, 60s), 5s);
}

TEST(ClosedTopics, WaitTwiceAsLongEachTimeAndFromTheStartOnceAllAreOpen) {
  ClosedTopics closed;
  const Milliseconds waits[]{5s, 10s, 20s, 40s, 60s, 60s};
  for (const Milliseconds wait : waits) {
    closed.try_again();
    closed.close({"a"}, {{"a", "no right"}});
    closed.close({"b"}, {{"b", "no right"}});  // in the same round
    EXPECT_EQ(closed.wait(5s, 60s), wait);
  }
  for (int i = 0; i < 100; ++i) closed.try_again(), closed.close({"a"}, {{"a", "no right"}});
  EXPECT_EQ(closed.wait(5s, 60s), 60s);
  closed.sent({"a", "b"});
  closed.close({"a"}, {{"a", "no right"}});
  EXPECT_EQ(closed.wait(5s, 60s), 5s);
}

// Else one that was opened would wait for one that stays closed.
TEST(ClosedTopics, EachIsTriedOnceARound) {
  ClosedTopics closed;
  closed.close({"a", "b"}, {{"a", "no right"}, {"b", "gone"}});
  closed.try_again();
  closed.close({"a"}, {{"a", "no right"}});
  EXPECT_THAT(closed.left_out(), ElementsAre("a")) << "b wasn't tried yet";
  EXPECT_THAT(closed.reasons(), ElementsAre(Pair("a", "no right"), Pair("b", "gone")));
  closed.sent({"b"});
  EXPECT_THAT(closed.reasons(), ElementsAre(Pair("a", "no right")));
}

TEST(ClosedTopics, OneOfAFailedBatchThatIsNotToldIsNotKnownToBeClosed) {
  ClosedTopics closed;
  closed.close({"a", "b"}, {{"a", "no right"}, {"b", "gone"}});
  closed.try_again();
  closed.close({"a", "b"}, {{"b", "gone"}});
  EXPECT_THAT(closed.left_out(), ElementsAre("b"));
  EXPECT_THAT(closed.reasons(), ElementsAre(Pair("b", "gone")));
}

}  // namespace
}  // namespace ba
