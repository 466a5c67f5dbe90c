// SPDX-License-Identifier: Apache-2.0
#include "pipeline/outbox/closed_topics.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

using namespace std::chrono_literals;
using Topics = ClosedTopics::Topics;

TEST(ClosedTopics, AreLeftOutUntilTheyAreTriedAgainAndCountAsClosedUntilARecordIsOut) {
  ClosedTopics closed;
  EXPECT_FALSE(closed.any());
  closed.close({"a", "b"}, {"a"}, "no right");
  EXPECT_EQ(closed.left_out(), Topics{"a"});
  closed.try_again();
  EXPECT_EQ(closed.left_out(), Topics{});
  EXPECT_TRUE(closed.any());
  EXPECT_EQ(closed.why(), "no right");
  closed.sent({"b"});
  EXPECT_TRUE(closed.any());
  closed.sent({"a", "b"});
  EXPECT_FALSE(closed.any());
  EXPECT_EQ(closed.why(), "");
}

TEST(ClosedTopics, AreNoneWhereNothingIsPending) {
  ClosedTopics closed;
  closed.close({"a"}, {"a"}, "no right");
  closed.try_again();
  closed.none_pending();
  EXPECT_FALSE(closed.any());
  EXPECT_EQ(closed.wait(5s, 60s), 5s);
}

TEST(ClosedTopics, WaitTwiceAsLongEachTimeAndFromTheStartOnceAllAreOpen) {
  ClosedTopics closed;
  const Milliseconds waits[]{5s, 10s, 20s, 40s, 60s, 60s};
  for (const Milliseconds wait : waits) {
    closed.close({"a"}, {"a"}, "no right");
    EXPECT_EQ(closed.wait(5s, 60s), wait);
    closed.try_again();
  }
  for (int i = 0; i < 100; ++i) closed.close({"a"}, {"a"}, "no right");
  EXPECT_EQ(closed.wait(5s, 60s), 60s);
  closed.sent({"a"});
  closed.close({"a"}, {"a"}, "no right");
  EXPECT_EQ(closed.wait(5s, 60s), 5s);
}

// Else one that was opened would wait for one that stays closed.
TEST(ClosedTopics, OneThatIsNotToldAgainIsOpenThoughAnotherStaysClosed) {
  ClosedTopics closed;
  closed.close({"a", "b"}, {"a", "b"}, "both");
  closed.try_again();
  closed.close({"a", "b"}, {"b"}, "b alone");
  EXPECT_EQ(closed.left_out(), Topics{"b"});
  closed.close({"a"}, {"a"}, "a again");
  EXPECT_EQ(closed.left_out(), (Topics{"a", "b"})) << "b wasn't among the batch's";
}

}  // namespace
}  // namespace ba
