// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/llm_provider.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace ba::llm {
namespace {

class AdmissionTest : public ::testing::Test {
 protected:
  struct Call {
    explicit Call(RequestAdmission& admission) : ticket(admission, [this] { ++let_in; }) {}
    RequestAdmission::Ticket ticket;
    int let_in = 0;
  };

  std::unique_ptr<Call> call() { return std::make_unique<Call>(admission_); }

  std::vector<std::unique_ptr<Call>> calls(int count) {
    std::vector<std::unique_ptr<Call>> made;
    for (int i = 0; i < count; ++i) {
      made.push_back(call());
      made.back()->ticket.enter();
    }
    return made;
  }

  /// The provider has asked for a pause, which is over.
  void after_a_pause() {
    const auto first = call();
    ASSERT_TRUE(first->ticket.enter());
    first->ticket.refused();
  }

  static int inside(const std::vector<std::unique_ptr<Call>>& calls) {
    int count = 0;
    for (const auto& each : calls) count += each->let_in;
    return count;
  }

  RequestAdmission admission_;
};

TEST_F(AdmissionTest, EverybodyMayComeUntilThereWasAPause) {
  std::vector<std::unique_ptr<Call>> all;
  for (int i = 0; i < 500; ++i) {
    all.push_back(call());
    EXPECT_TRUE(all.back()->ticket.enter());
  }
  EXPECT_EQ(admission_.waiting(), 0U);
}

TEST_F(AdmissionTest, AfterAPauseOneIsLetInAndTwiceAsManyWithEachRound) {
  after_a_pause();
  const auto first = call();
  EXPECT_TRUE(first->ticket.enter());
  const auto others = calls(20);
  EXPECT_EQ(admission_.waiting(), 20U);
  first->ticket.accepted();
  EXPECT_EQ(inside(others), 2);
  for (int i = 0; i < 2; ++i) others[static_cast<std::size_t>(i)]->ticket.accepted();
  EXPECT_EQ(inside(others), 2 + 4);
  for (int i = 2; i < 6; ++i) others[static_cast<std::size_t>(i)]->ticket.accepted();
  EXPECT_EQ(inside(others), 2 + 4 + 8);
  for (std::size_t i = 0; i < 14; ++i) EXPECT_EQ(others[i]->let_in, 1) << "in their order";
}

TEST_F(AdmissionTest, WhoIsLetInMayEnter) {
  after_a_pause();
  const auto first = call();
  const auto second = call();
  ASSERT_TRUE(first->ticket.enter());
  ASSERT_FALSE(second->ticket.enter());
  ASSERT_FALSE(second->ticket.enter()) << "it waits already";
  first->ticket.accepted();
  EXPECT_EQ(second->let_in, 1);
  EXPECT_TRUE(second->ticket.enter());
  EXPECT_EQ(admission_.waiting(), 0U);
}

TEST_F(AdmissionTest, WhatCameToNothingMakesRoomForOneOnly) {
  after_a_pause();
  auto first = call();
  ASSERT_TRUE(first->ticket.enter());
  auto others = calls(3);
  first->ticket.leave();
  EXPECT_EQ(inside(others), 1);
  others.front().reset();
  others.erase(others.begin());
  EXPECT_EQ(inside(others), 1) << "a call that is destroyed gives its place up";
  others.pop_back();
  EXPECT_EQ(admission_.waiting(), 0U) << "or its wait";
}

TEST_F(AdmissionTest, AnotherPauseSendsAllThatWaitBackAndBeginsAnew) {
  after_a_pause();
  const auto first = call();
  ASSERT_TRUE(first->ticket.enter());
  const auto others = calls(6);
  first->ticket.accepted();
  ASSERT_EQ(inside(others), 2);
  others[0]->ticket.refused();
  EXPECT_EQ(inside(others), 6) << "they are told, and wait for the pause";
  EXPECT_EQ(admission_.waiting(), 0U);
  EXPECT_TRUE(others[2]->ticket.enter());
  EXPECT_FALSE(others[3]->ticket.enter());
  others[1]->ticket.accepted();
  EXPECT_EQ(others[3]->let_in, 1) << "what was sent before the pause says nothing of now";
}

TEST_F(AdmissionTest, NobodyIsHeldBackOnceEnoughWereAccepted) {
  after_a_pause();
  for (int i = 0; i < RequestAdmission::kEverybody; ++i) {
    const auto each = call();
    ASSERT_TRUE(each->ticket.enter());
    each->ticket.accepted();
  }
  for (const auto& each : calls(500)) EXPECT_EQ(each->let_in, 0);
  EXPECT_EQ(admission_.waiting(), 0U);
}

}  // namespace
}  // namespace ba::llm
