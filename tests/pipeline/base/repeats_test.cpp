// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/repeats.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

constexpr Milliseconds kQuiet{30'000};

SteadyTime at(int ms) { return SteadyTime(Milliseconds(ms)); }

TEST(Repeats, TheFirstIsToldAtOnceThenOneInAWhileWithTheCountOfTheOthers) {
  Repeats repeats(kQuiet);
  EXPECT_EQ(repeats.tell("denied", at(0)), 0);
  for (int ms = 1; ms <= 600; ++ms) EXPECT_EQ(repeats.tell("denied", at(ms)), std::nullopt);
  EXPECT_EQ(repeats.tell("denied", at(30'000)), 600);
  EXPECT_EQ(repeats.tell("denied", at(30'001)), std::nullopt);
  EXPECT_EQ(repeats.tell("denied", at(60'000)), 1);
}

TEST(Repeats, ThoseThatDifferInNumbersOnlyAreAlike) {
  Repeats repeats(kQuiet);
  EXPECT_EQ(repeats.tell("initialising ba-outbox-3: denied after 12 ms", at(0)), 0);
  EXPECT_EQ(repeats.tell("initialising ba-outbox-14: denied after 7 ms", at(1)), std::nullopt);
}

TEST(Repeats, OneTroubleKeepsNoOtherQuiet) {
  Repeats repeats(kQuiet);
  EXPECT_EQ(repeats.tell("topic ba.results", at(0)), 0);
  EXPECT_EQ(repeats.tell("topic ba.metrics", at(1)), 0);
}

}  // namespace
}  // namespace ba
