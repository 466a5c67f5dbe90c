// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/retry_policy.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/problem_texts.hpp"

namespace ba {
namespace {

constexpr std::uint64_t kMiddle = std::uint64_t{1} << 63;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST(RetryDelay, GrowsByHalfFromOneSecondToTen) {
  const ToolRetryPolicy policy;
  EXPECT_EQ(retry_delay(policy, 0, kMiddle), Milliseconds(1000));
  EXPECT_EQ(retry_delay(policy, 1, kMiddle), Milliseconds(1500));
  EXPECT_EQ(retry_delay(policy, 2, kMiddle), Milliseconds(2250));
  EXPECT_EQ(retry_delay(policy, 5, kMiddle), Milliseconds(7594));
  EXPECT_EQ(retry_delay(policy, 6, kMiddle), Milliseconds(10000));
  EXPECT_EQ(retry_delay(policy, 500, kMiddle), Milliseconds(10000));
}

TEST(RetryDelay, IsMovedByUpToATenthAndNeverAboveTheMost) {
  const ToolRetryPolicy policy;
  EXPECT_EQ(retry_delay(policy, 0, 0), Milliseconds(900));
  EXPECT_EQ(retry_delay(policy, 0, kMost), Milliseconds(1100));
  EXPECT_EQ(retry_delay(policy, 9, 0), Milliseconds(9000));
  EXPECT_EQ(retry_delay(policy, 9, kMost), Milliseconds(10000));
}

TEST(AskedDelay, IsTheWaitThatWasAskedForSpreadByUpToATenthAndNeverAboveTheMost) {
  const ToolRetryPolicy policy;
  EXPECT_EQ(asked_delay(policy, 0, Milliseconds(5000), 0), Milliseconds(5000));
  EXPECT_EQ(asked_delay(policy, 0, Milliseconds(5000), kMost), Milliseconds(5500));
  EXPECT_EQ(asked_delay(policy, 0, Milliseconds(5), kMiddle), Milliseconds(1000));
  EXPECT_EQ(asked_delay(policy, 0, Milliseconds(10000), kMost), Milliseconds(10000));
}

TEST(AskedDelay, OneThatIsLongerThanTheMostOrTheTimeOfATryIsNotWaitedFor) {
  const ToolRetryPolicy policy;
  EXPECT_TRUE(waits_so_long(policy, Milliseconds(30000), Milliseconds(10000)));
  EXPECT_FALSE(waits_so_long(policy, Milliseconds(30000), Milliseconds(10001)));
  EXPECT_TRUE(waits_so_long(policy, Milliseconds(2000), Milliseconds(2000)));
  EXPECT_FALSE(waits_so_long(policy, Milliseconds(2000), Milliseconds(2001)));
}

TEST(RetryAfter, IsOfAFailureThatMayPassAndTellsWholeSeconds) {
  RawToolResult busy;
  busy.error = ToolError{ToolErrorType::TransientError, "BUSY", "it is busy"};
  add_retry_after(busy, std::nullopt);
  EXPECT_EQ(busy.error->message, "it is busy");
  add_retry_after(busy, Milliseconds(1001));
  EXPECT_EQ(busy.retry_after, Milliseconds(1001));
  EXPECT_EQ(busy.error->message, "it is busy. It asks for a wait of 2 s");
  RawToolResult refused;
  refused.error = ToolError{ToolErrorType::PermissionDenied, "NO", "no"};
  add_retry_after(refused, Milliseconds(1));
  EXPECT_EQ(refused.retry_after, std::nullopt);
  EXPECT_EQ(refused.error->message, "no");
}

TEST(LongerTimeout, DoublesToItsCapAndNeverShrinks) {
  const ToolRetryPolicy policy;
  EXPECT_EQ(longer_timeout(policy, Milliseconds(120000)), Milliseconds(240000));
  EXPECT_EQ(longer_timeout(policy, Milliseconds(240000)), Milliseconds(300000));
  EXPECT_EQ(longer_timeout(policy, Milliseconds(400000)), Milliseconds(400000));
}

TEST(Repeatable, IsOnlyWhatIsPureOrKeyed) {
  EXPECT_TRUE(repeatable(EffectClass::Pure));
  EXPECT_TRUE(repeatable(EffectClass::Keyed));
  EXPECT_FALSE(repeatable(EffectClass::Reconcilable));
  EXPECT_FALSE(repeatable(EffectClass::Once));
}

TEST(RetryPolicy, TriesEveryRetryableTypeThreeTimesAgainUnlessSaidOtherwise) {
  const ToolRetryPolicy policy;
  EXPECT_EQ(policy.max_retries, 3);
  EXPECT_EQ(policy.retry_on,
            (std::set<ToolErrorType>{ToolErrorType::Timeout, ToolErrorType::RateLimit,
                                     ToolErrorType::ResourceError, ToolErrorType::TransientError}));
}

TEST(RetryPolicy, ValidationNamesKeyValueAndWhatIsAllowed) {
  EXPECT_TRUE(validate(ToolRetryPolicy{}).empty());
  ToolRetryPolicy policy;
  policy.max_delay = Milliseconds(10);
  EXPECT_EQ(
      texts_of(validate(policy)),
      std::vector<std::string>{"tools.retry.max_delay_ms: 10 is not at least initial_delay_ms"});
}

}  // namespace
}  // namespace ba
