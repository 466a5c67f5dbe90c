// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/publishing_troubles.hpp"

#include <gtest/gtest.h>

namespace ba::driver {
namespace {

SteadyTime at(int ms) { return SteadyTime(Milliseconds(ms)); }

Error denied(int shard) {
  return make_error(ErrorCode::PermissionDenied,
                    "kafka: publishing batch 7 of shard " + std::to_string(shard) + ": denied");
}

TEST(PublishingTroubles, SixteenShardsThatAreDeniedForHalfAMinuteAreTwoLines) {
  PublishingTroubles troubles(Milliseconds(30'000));
  int lines = 0;
  for (int ms = 0; ms <= 32'000; ms += 500)
    for (int shard = 0; shard < 16; ++shard)
      if (troubles.failed(shard, denied(shard), at(ms))) ++lines;
  EXPECT_EQ(lines, 2);
}

TEST(PublishingTroubles, WhatIsDeniedIsSaidUntilTheShardPublishesOrFailsOtherwise) {
  PublishingTroubles troubles(Milliseconds(30'000));
  EXPECT_EQ(troubles.denied(), "");
  troubles.failed(3, denied(3), at(0));
  EXPECT_EQ(troubles.denied(), denied(3).message);
  troubles.published(2);
  EXPECT_EQ(troubles.denied(), denied(3).message);
  troubles.published(3);
  EXPECT_EQ(troubles.denied(), "");
  troubles.failed(3, denied(3), at(1));
  troubles.failed(3, make_error(ErrorCode::Unavailable, "away"), at(2));
  EXPECT_EQ(troubles.denied(), "");
}

TEST(PublishingTroubles, AShardThatIsFencedAgainAndAgainIsContestedForAWhile) {
  PublishingTroubles troubles(Milliseconds(30'000));
  const Error fenced = make_error(ErrorCode::Fenced, "fenced");
  troubles.failed(3, fenced, at(0));
  troubles.failed(3, fenced, at(60'000));
  EXPECT_FALSE(troubles.contested(at(60'000)));
  troubles.failed(3, fenced, at(120'000));
  EXPECT_TRUE(troubles.contested(at(120'000)));
  EXPECT_TRUE(troubles.contested(at(599'000)));
  EXPECT_FALSE(troubles.contested(at(600'000)));
}

TEST(PublishingTroubles, AllShardsFencedOnceAreATakeOverAndNotContested) {
  PublishingTroubles troubles(Milliseconds(30'000));
  for (int shard = 0; shard < 16; ++shard)
    troubles.failed(shard, make_error(ErrorCode::Fenced, "fenced"), at(shard));
  EXPECT_FALSE(troubles.contested(at(100)));
}

}  // namespace
}  // namespace ba::driver
