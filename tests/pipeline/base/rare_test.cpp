// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/rare.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ba {
namespace {

struct Large {
  std::string text;
  char room[400] = {};
};

TEST(Rare, TakesTheRoomOfAPointer) { EXPECT_EQ(sizeof(Rare<Large>), sizeof(void*)); }

TEST(Rare, HasAValueFromItsAssignmentToItsReset) {
  Rare<Large> rare;
  EXPECT_FALSE(rare.has_value());
  rare = Large{"one"};
  ASSERT_TRUE(rare);
  EXPECT_EQ(rare->text, "one");
  rare.emplace().text = "two";
  EXPECT_EQ((*rare).text, "two");
  rare.reset();
  EXPECT_FALSE(rare);
}

TEST(Rare, ACopyIsAValueOfItsOwn) {
  const Rare<std::string> one = std::string("one");
  Rare<std::string> other = one;
  *other += " more";
  EXPECT_EQ(*one, "one");
  EXPECT_EQ(*other, "one more");
  other = Rare<std::string>();
  EXPECT_FALSE(Rare<std::string>(other));
}

TEST(Rare, WhatIsTakenOutLeavesNone) {
  Rare<std::string> rare = std::string("one");
  EXPECT_EQ(*std::exchange(rare, {}), "one");
  EXPECT_FALSE(rare);
  rare = std::string("two");
  const Rare<std::string> taken = std::move(rare);
  EXPECT_EQ(*taken, "two");
  EXPECT_FALSE(rare);
}

}  // namespace
}  // namespace ba
