// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/byte_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ba {
namespace {

using testing::ElementsAre;

class Budget : public testing::Test {
 protected:
  std::unique_ptr<ByteBudget::Place> enter(std::int64_t bytes, const std::string& name) {
    return budget.enter(bytes, [this, name] { begun.push_back(name); });
  }
  ByteBudget budget{100};
  std::vector<std::string> begun;
};

TEST_F(Budget, LetsInWhatThereIsRoomForAndTheOthersInTheirOrder) {
  auto first = enter(60, "first");
  auto second = enter(60, "second");
  auto third = enter(10, "third");
  EXPECT_THAT(begun, ElementsAre("first")) << "nobody overtakes";
  first.reset();
  EXPECT_THAT(begun, ElementsAre("first", "second", "third"));
  EXPECT_EQ(budget.held(), 70);
  second.reset();
  third.reset();
  EXPECT_EQ(budget.held(), 0);
}

TEST_F(Budget, WhatIsLargerThanAllOfItGoesAlone) {
  auto small = enter(1, "small");
  auto huge = enter(1000, "huge");
  EXPECT_THAT(begun, ElementsAre("small"));
  small.reset();
  EXPECT_THAT(begun, ElementsAre("small", "huge"));
  auto next = enter(1, "next");
  EXPECT_THAT(begun, ElementsAre("small", "huge"));
  huge.reset();
  EXPECT_THAT(begun, ElementsAre("small", "huge", "next"));
}

TEST_F(Budget, WhoLeavesWhileItWaitsIsNotCalled) {
  auto first = enter(100, "first");
  auto second = enter(100, "second");
  auto third = enter(100, "third");
  second.reset();
  first.reset();
  EXPECT_THAT(begun, ElementsAre("first", "third"));
}

}  // namespace
}  // namespace ba
