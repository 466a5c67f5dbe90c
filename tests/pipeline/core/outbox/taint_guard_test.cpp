// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/outbox/taint_guard.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace ba {
namespace {

constexpr std::int16_t kProduce = 0;
constexpr std::int16_t kMetadata = 3;
constexpr std::int16_t kAddPartitions = 24;
constexpr std::int16_t kEnd = 26;

TEST(TaintGuard, IsCleanWhenEveryRequestWasAnswered) {
  TaintGuard guard;
  guard.begin();
  for (const std::int16_t key : {kAddPartitions, kProduce, kEnd}) {
    guard.on_sent(key);
    EXPECT_FALSE(guard.clean());
    guard.on_received(key, false);
    EXPECT_TRUE(guard.clean());
  }
}

TEST(TaintGuard, AnAnswerThatIsToldOnceMoreOnAnotherThreadCountsOnce) {
  TaintGuard guard;
  guard.begin();
  guard.on_sent(kEnd);
  guard.on_received(kEnd, false);
  std::thread([&] { guard.on_received(kEnd, false); }).join();
  EXPECT_TRUE(guard.clean());
  guard.begin();
  guard.on_sent(kEnd);
  std::thread([&] { guard.on_received(kEnd, false); }).join();
  EXPECT_FALSE(guard.clean()) << "the thread that sent has no answer yet";
}

TEST(TaintGuard, AMissingAnswerTaintsTheTransactionsAfterItToo) {
  TaintGuard guard;
  guard.begin();
  guard.on_sent(kProduce);
  guard.begin();
  EXPECT_FALSE(guard.clean());
}

TEST(TaintGuard, AFailedAnswerTaintsForGood) {
  TaintGuard guard;
  guard.on_sent(kProduce);
  guard.on_received(kProduce, true);
  guard.begin();
  EXPECT_FALSE(guard.clean());
}

TEST(TaintGuard, TwoEndsOfOneTransactionTaint) {
  TaintGuard guard;
  for (int i = 0; i < 2; ++i) {
    guard.begin();
    guard.on_sent(kEnd);
    guard.on_received(kEnd, false);
    EXPECT_TRUE(guard.clean());
  }
  guard.on_sent(kEnd);
  guard.on_received(kEnd, false);
  EXPECT_FALSE(guard.clean());
}

TEST(TaintGuard, ALostConnectionTaintsItsTransaction) {
  TaintGuard guard;
  guard.begin();
  guard.on_connection_lost();
  EXPECT_FALSE(guard.clean());
}

TEST(TaintGuard, OtherRequestsDoNotMatter) {
  TaintGuard guard;
  guard.begin();
  guard.on_sent(kMetadata);
  EXPECT_TRUE(guard.clean());
}

}  // namespace
}  // namespace ba
