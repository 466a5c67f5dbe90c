// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/publishing_troubles.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

SteadyTime at(int ms) { return SteadyTime(Milliseconds(ms)); }

Error error_of(ErrorCode code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return error;
}

Error denied(int shard) {
  return error_of(ErrorCode::PermissionDenied,
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
  troubles.failed(3, error_of(ErrorCode::Unavailable, "away"), at(2));
  EXPECT_EQ(troubles.denied(), "");
}

}  // namespace
}  // namespace ba
