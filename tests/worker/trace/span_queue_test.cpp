// SPDX-License-Identifier: Apache-2.0
#include "worker/trace/span_queue.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace ba::trace {
namespace {

Span named(const std::string& name) {
  Span span;
  span.name = name;
  return span;
}

TEST(SpanQueue, GivesTheOldestFirst) {
  SpanQueue queue(10);
  EXPECT_EQ(queue.add(named("a")), 1U);
  EXPECT_EQ(queue.add(named("b")), 2U);
  EXPECT_EQ(queue.add(named("c")), 3U);
  const auto taken = queue.take(2);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].name + taken[1].name, "ab");
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue.take(5).size(), 1U);
  EXPECT_TRUE(queue.take(5).empty());
}

TEST(SpanQueue, WhatDoesNotFitIsDroppedAndCounted) {
  SpanQueue queue(2);
  queue.add(named("a"));
  queue.add(named("b"));
  EXPECT_EQ(queue.add(named("c")), 0U);
  EXPECT_EQ(queue.counts().dropped_full, 1);
  EXPECT_EQ(queue.take(5).size(), 2U);
  EXPECT_EQ(queue.add(named("d")), 1U);
}

TEST(SpanQueue, EachSpanOfManyThreadsIsTakenOrCounted) {
  SpanQueue queue(100);
  constexpr int kEach = 5'000;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&queue] {
      for (int i = 0; i < kEach; ++i) queue.add(named("x"));
    });
  std::int64_t taken = 0;
  while (taken + queue.counts().dropped_full < 4 * kEach)
    taken += static_cast<std::int64_t>(queue.take(7).size());
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken + queue.counts().dropped_full, 4 * kEach);
  EXPECT_EQ(queue.size(), 0U);
}

}  // namespace
}  // namespace ba::trace
