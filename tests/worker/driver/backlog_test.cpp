// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/backlog.hpp"

#include <gtest/gtest.h>

namespace ba::driver {
namespace {

using namespace std::chrono_literals;

class BacklogTest : public testing::Test {
 protected:
  /// Up to ten jobs that run or could, a hundred that wait.
  static IntakeWindowLimits window() { return {10, 100, {100, 100, 100}, 80}; }

  ClaimRequest ask(int jobs_max) {
    ClaimRequest request;
    request.jobs_max = jobs_max;
    backlog_.ask(request, now_);
    return request;
  }

  /// What a claim of so many finds, and counts if it was asked to.
  void claim(int jobs_max, std::int64_t found, std::int64_t waiting, std::int64_t claimable) {
    ClaimAnswer answer;
    if (ask(jobs_max).count) {
      answer.waiting = waiting;
      answer.claimable = claimable;
    }
    backlog_.answered(answer, found);
  }

  void take_in(int jobs) {
    IntakeSummary summary;
    summary.jobs = {0, jobs, 0};
    backlog_.taken_in(summary);
  }

  bool pauses() {
    if (const auto paused = backlog_.newly_paused(0, 0)) paused_ = !paused->empty();
    return paused_;
  }

  Backlog backlog_{window(), 0s};
  SteadyTime now_{};
  bool paused_ = false;
};

TEST_F(BacklogTest, CountsOnceASecond) {
  int counts = 0;
  for (int i = 0; i < 100; ++i, now_ += 50ms) counts += ask(1).count ? 1 : 0;
  EXPECT_EQ(counts, 5);
}

TEST_F(BacklogTest, LooksForJobsThatAreToEndTenTimesASecond) {
  int looks = 0;
  for (int i = 0; i < 100; ++i, now_ += 50ms) looks += ask(1).ending ? 1 : 0;
  EXPECT_EQ(looks, 50);
}

TEST_F(BacklogTest, ReckonsBetweenTwoCounts) {
  claim(0, 0, 7, 5);
  take_in(3);
  EXPECT_EQ(backlog_.waiting(), 10);
  claim(4, 4, 0, 0);
  EXPECT_EQ(backlog_.waiting(), 6);
  EXPECT_FALSE(pauses());
  take_in(6);
  EXPECT_TRUE(pauses()) << "5 + 3 - 4 + 6 could run";
}

TEST_F(BacklogTest, AClaimThatFindsLessThanItAskedForSaysThatNoMoreCouldRun) {
  claim(0, 0, 0, 0);
  take_in(20);
  EXPECT_TRUE(pauses()) << "as far as anybody knows, all could run";
  claim(5, 1, 0, 0);
  EXPECT_FALSE(pauses()) << "they are of one conversation, or others have taken them";
  EXPECT_EQ(backlog_.waiting(), 19);
}

TEST_F(BacklogTest, WhatIsCountedAndCannotBeClaimedKeepsTheWindowShut) {
  claim(5, 0, 30, 12);
  EXPECT_TRUE(pauses()) << "more than a quota has room for";
  claim(5, 0, 0, 0);
  EXPECT_TRUE(pauses()) << "the same as when it was counted";
  now_ += 1s;
  claim(5, 0, 3, 0);
  EXPECT_FALSE(pauses());
}

TEST_F(BacklogTest, ACountWithoutAFreeSlotForgetsNotWhatCannotBeClaimed) {
  claim(5, 0, 30, 12);
  now_ += 1s;
  claim(0, 0, 30, 12);
  claim(5, 0, 0, 0);
  EXPECT_TRUE(pauses());
}

TEST_F(BacklogTest, AClaimThatHasNotGoneThroughAQueueDoesNotSayThatNoMoreCouldRun) {
  claim(0, 0, 0, 0);
  take_in(20);
  EXPECT_TRUE(pauses());
  ClaimAnswer answer;
  answer.places.at(1).deep_after = LedgerJobId(300);
  ask(5);
  backlog_.answered(answer, 0);
  EXPECT_TRUE(pauses());
  claim(5, 1, 0, 0);
  EXPECT_FALSE(pauses()) << "it is gone through";
}

TEST_F(BacklogTest, AClaimWithoutAFreeSlotSaysNothing) {
  claim(0, 0, 0, 0);
  take_in(20);
  claim(0, 0, 0, 0);
  EXPECT_TRUE(pauses());
}

TEST_F(BacklogTest, AfterAFullClaimThereMayBeMore) {
  claim(2, 0, 0, 0);
  EXPECT_EQ(backlog_.waiting(), 0);
  claim(2, 2, 0, 0);
  EXPECT_GT(backlog_.waiting(), 0) << "others take in as well";
}

TEST_F(BacklogTest, ClaimsGoOnWhereTheLastOneLeftOff) {
  ClaimAnswer answer;
  answer.places.at(1).after = TenantId("acme");
  ask(1);
  backlog_.answered(answer, 1);
  EXPECT_EQ(ask(1).places, answer.places);
}

}  // namespace
}  // namespace ba::driver
