// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/progress_producer.hpp"

#include "tests/worker/kafka/broker_fixture.hpp"

namespace ba::kafka {
namespace {

using namespace std::chrono_literals;

using ProgressProducerTest = BrokerTest;

TEST_F(ProgressProducerTest, EventsOfAJobArriveInOrderWithTheirContentType) {
  auto reader = ResultReader::create(options_, {options_.topics.progress}, ReadFrom::End);
  ASSERT_TRUE(reader) << reader.error().message;
  auto producer = ProgressProducer::create(options_, "application/json");
  ASSERT_TRUE(producer) << producer.error().message;
  for (int i = 0; i < 100; ++i) (*producer)->send({"acme/j", std::to_string(i)});
  std::vector<RawRecord> records;
  for (int tries = 0; tries < 20 && records.size() < 100; ++tries) {
    auto read = (*reader)->read(1s, 100);
    ASSERT_TRUE(read) << read.error().message;
    std::move(read->begin(), read->end(), std::back_inserter(records));
  }
  ASSERT_EQ(records.size(), 100U);
  for (std::size_t i = 0; i < records.size(); ++i) EXPECT_EQ(records[i].value, std::to_string(i));
  EXPECT_EQ(records[0].key, "acme/j");
  EXPECT_EQ(records[0].headers, (Headers{{"content-type", "application/json"}}));
  EXPECT_EQ((*producer)->counts().sent, 100);
  EXPECT_EQ((*producer)->counts().dropped, 0);
}

TEST_F(ProgressProducerTest, WhatIsQueuedIsSentWhenTheWorkerStops) {
  auto reader = ResultReader::create(options_, {options_.topics.progress}, ReadFrom::End);
  ASSERT_TRUE(reader);
  {
    auto warm = ProgressProducer::create(options_, "application/json");
    ASSERT_TRUE(warm);
    (*warm)->send({"k", "first"});
    auto first = (*reader)->read(10s, 1);  // the client knows its broker now
    ASSERT_TRUE(first);
    ASSERT_EQ(first->size(), 1U);
    (*warm)->send({"k", "last"});
  }
  const auto last = (*reader)->read(10s, 1);
  ASSERT_TRUE(last);
  ASSERT_EQ(last->size(), 1U);
  EXPECT_EQ(last->front().value, "last");
}

}  // namespace
}  // namespace ba::kafka
