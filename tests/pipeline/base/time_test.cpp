// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/time.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

TEST(Rfc3339, WhatIsWrittenIsReadBack) {
  for (const std::int64_t micros : {0LL, 1LL, -1LL, 1'772'366'400'000'001LL,
                                    253'402'300'799'999'999LL, -62'135'596'800'000'000LL}) {
    const WallTime time{Microseconds(micros)};
    EXPECT_EQ(parse_rfc3339(to_rfc3339(time)), time) << to_rfc3339(time);
  }
}

TEST(Rfc3339, FractionsAndOffsetsAreRead) {
  const WallTime noon{Microseconds(1'772'366'400'000'000)};
  for (const char* text :
       {"2026-03-01T12:00:00Z", "2026-03-01t12:00:00z", "2026-03-01 12:00:00Z",
        "2026-03-01T13:00:00+01:00", "2026-03-01T06:30:00-05:30", "2026-03-01T12:00:00.000000999Z"})
    EXPECT_EQ(parse_rfc3339(text), noon) << text;
  EXPECT_EQ(parse_rfc3339("2026-03-01T12:00:00.5Z"), noon + Milliseconds(500));
}

TEST(Rfc3339, OtherTextIsRefused) {
  for (const char* text :
       {"", "2026", "2026-03-01", "2026-03-01T12:00:00", "2026-13-01T12:00:00Z",
        "2026-02-29T12:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T12:60:00Z",
        "2026-03-01T12:00:61Z", "2026-03-01T12:00:00Zx", "2026-03-01T12:00:00+0100",
        "2026-03-01T12:00:00+24:00", "-026-03-01T12:00:00Z", "26-03-01T12:00:00Z"})
    EXPECT_EQ(parse_rfc3339(text), std::nullopt) << text;
}

}  // namespace
}  // namespace ba
