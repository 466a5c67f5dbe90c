// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "worker/kafka/progress_producer.hpp"

namespace ba::kafka {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// Far less than the minutes for which a record is kept here, and enough on a busy machine.
constexpr std::chrono::seconds kSoon{60};

KafkaOptions nobody_there() {
  KafkaOptions options;
  options.brokers = "127.0.0.1:1";
  options.properties["message.timeout.ms"] = "600000";
  return options;
}

TEST(ProgressWithoutBrokers, NothingWaitsAndWhatDoesNotFitIsCounted) {
  auto producer = ProgressProducer::create(nobody_there(), "application/json");
  ASSERT_TRUE(producer) << producer.error().message;
  constexpr std::int64_t kRecords = 100'000;  // more than both queues hold
  const auto start = SteadyClock::now();
  for (std::int64_t i = 0; i < kRecords; ++i) (*producer)->send({"k", "v"});
  EXPECT_LT(SteadyClock::now() - start, kSoon);
  const auto give_up = SteadyClock::now() + kSoon;
  const auto counted = [&] {
    const ProgressCounts counts = (*producer)->counts();
    return counts.sent + counts.dropped;
  };
  while (counted() < kRecords && SteadyClock::now() < give_up) std::this_thread::yield();
  EXPECT_EQ(counted(), kRecords);
  EXPECT_GT((*producer)->counts().dropped, kRecords / 2);
}

TEST(ProgressWithoutBrokers, StoppingTakesNoLongerThanItsGoodbye) {
  auto producer = ProgressProducer::create(nobody_there(), "application/json");
  ASSERT_TRUE(producer);
  (*producer)->send({"k", "v"});
  const auto start = SteadyClock::now();
  producer->reset();
  EXPECT_LT(SteadyClock::now() - start, kSoon);
}

TEST(ProgressWithoutBrokers, AWrongPropertyIsAnErrorOfTheStart) {
  KafkaOptions options = nobody_there();
  options.properties["no.such.property"] = "x";
  const auto producer = ProgressProducer::create(options, "application/json");
  ASSERT_FALSE(producer);
  EXPECT_NE(producer.error().message.find("no.such.property"), std::string::npos);
}

}  // namespace
}  // namespace ba::kafka
