// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/cache/local_results.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

SteadyTime at(int seconds) { return SteadyTime(std::chrono::seconds(seconds)); }

CacheHit result(std::string data) { return {std::move(data), {}}; }

TEST(LocalResults, GivesWhatWasPutUntilItsEnd) {
  LocalResults results({10, 1000});
  results.put("a", result("1"), at(10), at(0));
  ASSERT_NE(results.find("a", at(9)), nullptr);
  EXPECT_EQ(results.find("a", at(9))->data, "1");
  EXPECT_EQ(results.find("b", at(9)), nullptr);
  EXPECT_EQ(results.find("a", at(10)), nullptr);
  EXPECT_EQ(results.size(), 0U);
  EXPECT_EQ(results.bytes(), 0);
}

TEST(LocalResults, ReplacesAResultOfTheSameKey) {
  LocalResults results({10, 1000});
  results.put("a", result("1"), at(10), at(0));
  results.put("a", result("22"), at(20), at(0));
  EXPECT_EQ(results.find("a", at(15))->data, "22");
  EXPECT_EQ(results.size(), 1U);
  EXPECT_EQ(results.bytes(), 3);
}

TEST(LocalResults, DropsExpiredOnesFirstThenTheLeastRecentlyUsed) {
  LocalResults results({3, 1000});
  results.put("old", result("1"), at(5), at(0));
  results.put("a", result("1"), at(50), at(0));
  results.put("b", result("1"), at(50), at(0));
  results.put("c", result("1"), at(50), at(6));  // "old" has expired
  EXPECT_EQ(results.find("old", at(1)), nullptr);
  EXPECT_NE(results.find("a", at(6)), nullptr);  // used now
  results.put("d", result("1"), at(50), at(6));
  EXPECT_EQ(results.find("b", at(6)), nullptr);
  EXPECT_NE(results.find("a", at(6)), nullptr);
  EXPECT_NE(results.find("c", at(6)), nullptr);
  EXPECT_NE(results.find("d", at(6)), nullptr);
}

TEST(LocalResults, HoldsNoMoreBytesThanAllowed) {
  LocalResults results({100, 20});
  results.put("a", result(std::string(9, 'x')), at(50), at(0));
  results.put("b", result(std::string(9, 'x')), at(50), at(0));
  EXPECT_EQ(results.bytes(), 20);
  results.put("c", result("1"), at(50), at(0));
  EXPECT_EQ(results.find("a", at(0)), nullptr);
  EXPECT_EQ(results.bytes(), 12);
  results.put("d", result(std::string(20, 'x')), at(50), at(0));  // larger than all
  EXPECT_EQ(results.find("d", at(0)), nullptr);
  EXPECT_EQ(results.size(), 2U);
}

TEST(LocalResults, WithoutRoomKeepNothing) {
  LocalResults results({0, 0});
  results.put("a", result(""), at(50), at(0));
  EXPECT_EQ(results.size(), 0U);
}

}  // namespace
}  // namespace ba
