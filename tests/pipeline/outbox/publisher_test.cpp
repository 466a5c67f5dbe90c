// SPDX-License-Identifier: Apache-2.0
#include "pipeline/outbox/publisher.hpp"

#include <gtest/gtest.h>

#include "tests/support/fake_shard_transport.hpp"
#include "tests/support/outbox_client.hpp"

namespace ba {
namespace {

using namespace std::chrono_literals;

class PublisherTest : public testing::Test {
 protected:
  void start() {
    self_ = ledger_.enter();
    publisher_.start(self_);
  }

  void add(int shard) {
    OutboxRecord record;
    record.shard = shard;
    record.result_id = ResultId(std::to_string(++rows_));
    ledger_.add(record);
  }

  PublisherEvents events() {
    PublisherEvents events;
    events.fenced = [this](const Error&) { ++fenced_; };
    events.shard_stopped = [this](int, const std::string& reason) { stopped_ = reason; };
    return events;
  }

  bool published(std::size_t records, Milliseconds within) {
    return world_.run_until([&] { return kafka_.committed().size() >= records; }, within);
  }

  VirtualExecutor world_;
  FakeNetwork network_{world_, {}};
  FakeKafka kafka_;
  OutboxLedger ledger_{2, world_};
  OutboxClient outbox_{ledger_, network_, world_};
  FakeShardTransports transports_{kafka_, network_, world_};
  int fenced_ = 0;
  std::string stopped_;
  int rows_ = 0;
  IncarnationId self_;
  Publisher publisher_{outbox_, transports_, world_, {}, events()};
};

TEST_F(PublisherTest, PublishesWhatWasPendingBeforeItStarted) {
  add(0);
  add(1);
  start();
  EXPECT_TRUE(published(2, 10ms));
}

TEST_F(PublisherTest, PublishesNudgedRowsTogetherAfterTheLinger) {
  start();
  world_.run_for(50ms);
  add(0);
  publisher_.nudge(0);
  world_.run_for(10ms);
  add(0);
  publisher_.nudge(0);
  EXPECT_FALSE(published(1, 9ms));
  EXPECT_TRUE(published(2, 2ms));
  world_.run_for(1ms);
  EXPECT_EQ(publisher_.counters().batches, 1);
}

TEST_F(PublisherTest, FindsRowsOfOtherWorkersByPolling) {
  start();
  world_.run_for(1s);
  add(1);
  EXPECT_TRUE(published(1, 101ms));
}

TEST_F(PublisherTest, ARowThatComesDuringAFetchIsNotForgotten) {
  network_.faults().delay_max = 4ms;
  start();
  world_.run_for(95ms);
  for (int i = 0; i < 200; ++i) {
    add(0);
    publisher_.nudge(0);
    ASSERT_TRUE(published(static_cast<std::size_t>(i) + 1, 75ms)) << i;
    world_.run_for(Milliseconds(i % 7));
  }
}

TEST_F(PublisherTest, MarksABatchSoonAfterItsCommit) {
  start();
  add(0);
  ASSERT_TRUE(published(1, 200ms));
  world_.run_for(21ms);
  EXPECT_EQ(ledger_.shard(0).published_batch, 1);
}

TEST_F(PublisherTest, DrainPublishesAndMarksEverythingWithoutLinger) {
  start();
  world_.run_for(10ms);
  for (int i = 0; i < 700; ++i) add(i % 2);
  std::optional<bool> everything;
  publisher_.drain(1s, [&](bool all) { everything = all; });
  world_.run_for(0ms);
  EXPECT_EQ(everything, true);
  EXPECT_TRUE(ledger_.all_published());
}

TEST_F(PublisherTest, DrainGivesUpAtItsLimit) {
  network_.faults().lost_request_permille = 1000;
  start();
  std::optional<bool> everything;
  publisher_.drain(3s, [&](bool all) { everything = all; });
  world_.run_for(2999ms);
  EXPECT_FALSE(everything.has_value());
  world_.run_for(1ms);
  EXPECT_EQ(everything, false);
}

TEST_F(PublisherTest, ADeadIncarnationStopsAtOnce) {
  start();
  world_.run_for(10ms);
  ledger_.die(self_);
  add(0);
  publisher_.nudge(0);
  world_.run_for(10s);
  EXPECT_EQ(fenced_, 1);
  EXPECT_EQ(publisher_.counters().shards_owned, 0);
  EXPECT_TRUE(kafka_.committed().empty());
}

TEST_F(PublisherTest, StopsAShardWhoseReceiptsTopicWasRecreated) {
  add(0);
  start();
  ASSERT_TRUE(published(1, 1s));
  world_.run_for(1s);
  ledger_.die(self_);
  world_.run_for(3s);
  kafka_.forget_receipts();
  Publisher next(outbox_, transports_, world_, {}, events());
  next.start(ledger_.enter());
  add(0);
  add(1);
  world_.run_for(3s);
  EXPECT_NE(ledger_.shard(0).stopped_reason.find("receipt"), std::string::npos);
  EXPECT_EQ(stopped_, ledger_.shard(0).stopped_reason);
  EXPECT_EQ(ledger_.shard(1).stopped_reason, "");
  EXPECT_EQ(kafka_.committed().size(), 2u);
  EXPECT_EQ(next.counters().shards_stopped, 1);
}

TEST_F(PublisherTest, StopsAShardWhoseDatabaseWasRestored) {
  start();
  add(0);
  world_.run_for(1s);
  const FakeLedger backup = ledger_.backup();
  for (int i = 0; i < 2; ++i) {
    add(0);
    world_.run_for(1s);
  }
  EXPECT_EQ(kafka_.committed().size(), 3u);
  publisher_.stop();
  ledger_.restore(backup);
  ledger_.die(self_);
  Publisher next(outbox_, transports_, world_, {}, events());
  next.start(ledger_.enter());
  world_.run_for(3s);
  EXPECT_NE(ledger_.shard(0).stopped_reason.find("restored"), std::string::npos);
}

TEST_F(PublisherTest, SharesTheShardsWithASecondWorker) {
  start();
  world_.run_for(1s);
  EXPECT_EQ(publisher_.counters().shards_owned, 2);
  Publisher second(outbox_, transports_, world_, {}, {});
  second.start(ledger_.enter());
  world_.run_for(5s);
  EXPECT_EQ(publisher_.counters().shards_owned, 1);
  EXPECT_EQ(second.counters().shards_owned, 1);
  add(0);
  add(1);
  EXPECT_TRUE(published(2, 200ms));
}

TEST_F(PublisherTest, NothingComesAfterStop) {
  network_.faults().delay_max = 5ms;
  add(0);
  start();
  world_.run_for(8ms);
  publisher_.stop();
  world_.run_for(5s);
  EXPECT_EQ(publisher_.counters().batches, 0);
  EXPECT_EQ(publisher_.counters().shards_owned, 0);
}

}  // namespace
}  // namespace ba
