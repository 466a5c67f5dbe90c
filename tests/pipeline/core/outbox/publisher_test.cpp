// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/outbox/publisher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

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

  void add(int shard, const std::string& topic = "results") {
    OutboxRecord record;
    record.shard = shard;
    record.topic = topic;
    record.result_id = ResultId(std::to_string(++rows_));
    ledger_.add(record);
  }

  PublisherEvents events() {
    PublisherEvents events;
    events.fenced = [this](const Error&) { ++fenced_; };
    events.shard_stopped = [this](int, const std::string& reason) { stopped_ = reason; };
    return events;
  }

  std::vector<std::string> published_of(const std::string& topic) const {
    std::vector<std::string> ids;
    for (const OutboxRecord& record : kafka_.committed())
      if (record.topic == topic) ids.push_back(record.result_id.value);
    return ids;
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

TEST_F(PublisherTest, ATopicThatIsClosedHoldsUpNoOther) {
  kafka_.close_topic("metrics");
  start();
  for (int i = 0; i < 3; ++i) {
    add(0, "metrics");
    add(0, "results");
  }
  EXPECT_TRUE(published(3, 2s));
  world_.run_for(100ms);
  add(0, "metrics");
  add(0, "results");
  publisher_.nudge(0);
  EXPECT_TRUE(published(4, 1s));
  EXPECT_EQ(published_of("metrics"), std::vector<std::string>{});
  EXPECT_EQ(publisher_.counters().shards_failing, 1) << "it is told as long as something waits";
  kafka_.open_topic("metrics");
  EXPECT_TRUE(published(8, 61s));
  EXPECT_EQ(published_of("metrics"), (std::vector<std::string>{"1", "3", "5", "7"}));
  EXPECT_EQ(published_of("results"), (std::vector<std::string>{"2", "4", "6", "8"}));
  world_.run_for(1s);
  EXPECT_TRUE(ledger_.all_published());
  EXPECT_EQ(publisher_.counters().shards_failing, 0);
}

TEST_F(PublisherTest, ABatchThatIsAllForAClosedTopicMakesRoomForOthers) {
  kafka_.close_topic("metrics");
  add(0, "metrics");
  start();
  world_.run_for(1s);
  EXPECT_EQ(kafka_.committed().size(), 0u);
  add(0, "results");
  publisher_.nudge(0);
  EXPECT_TRUE(published(1, 1s));
  EXPECT_EQ(ledger_.shard(0).stopped_reason, "");
}

/// All the while: also while it is tried again, and while the rest of the shard goes out.
TEST_F(PublisherTest, ATopicIsToldAsClosedUntilItsRecordsAreOut) {
  kafka_.close_topic("metrics");
  add(0, "metrics");
  start();
  ASSERT_TRUE(world_.run_until([&] { return publisher_.closed_topics() != ""; }, 2s));
  for (int i = 0; i < 7000; ++i) {
    if (i % 5 == 0) add(0, "results"), publisher_.nudge(0);
    world_.run_for(10ms);
    ASSERT_NE(publisher_.closed_topics(), "") << i;
    ASSERT_EQ(publisher_.counters().shards_failing, 1) << i;
  }
  EXPECT_EQ(published_of("results").size(), 1400u);
  EXPECT_EQ(publisher_.counters().send_failures, 4) << "after 5, 10, 20 and 40 s";
  EXPECT_EQ(publisher_.counters().withdrawn, 4);
  kafka_.open_topic("metrics");
  ASSERT_TRUE(world_.run_until([&] { return publisher_.closed_topics() == ""; }, 61s));
  EXPECT_EQ(published_of("metrics"), std::vector<std::string>{"1"});
  EXPECT_EQ(publisher_.counters().shards_failing, 0);
}

TEST_F(PublisherTest, OfTwoClosedTopicsOneThatIsOpenedGoesOut) {
  kafka_.close_topic("metrics");
  kafka_.close_topic("letters");
  add(0, "metrics");
  add(0, "letters");
  start();
  world_.run_for(1s);
  kafka_.open_topic("letters");
  EXPECT_TRUE(published(1, 10s));
  EXPECT_EQ(published_of("letters"), std::vector<std::string>{"2"});
  EXPECT_NE(publisher_.closed_topics(), "");
}

/// The batches of what stays closed are full, so that those of the other come after them.
TEST_F(PublisherTest, ATopicThatIsOpenedGoesOutThoughABacklogOfAClosedOneIsBeforeIt) {
  kafka_.close_topic("metrics");
  kafka_.close_topic("letters");
  PublisherOptions options;
  options.batch_records_max = 2;
  Publisher publisher(outbox_, transports_, world_, options, events());
  for (int i = 0; i < 3; ++i) add(0, "metrics");
  add(0, "letters");
  publisher.start(ledger_.enter());
  world_.run_for(1s);
  EXPECT_EQ(publisher.closed_topics(), "letters is closed; metrics is closed");
  kafka_.open_topic("letters");
  EXPECT_TRUE(published(1, 10s));
  world_.run_for(10ms);
  EXPECT_EQ(published_of("letters"), std::vector<std::string>{"4"});
  EXPECT_EQ(publisher.closed_topics(), "metrics is closed");
}

TEST_F(PublisherTest, TheLedgerIsAskedOnceASecondWhileAllThatWaitsIsForClosedTopics) {
  kafka_.close_topic("metrics");
  add(0, "metrics");
  start();
  world_.run_for(2s);
  const int before = outbox_.fetches;
  world_.run_for(2s);
  EXPECT_LE(outbox_.fetches - before, 3);
  add(0, "results");
  EXPECT_TRUE(published(1, 1200ms)) << "found by a poll";
}

TEST_F(PublisherTest, DrainEndsAtOnceAndSaysThatSomethingIsLeftForAClosedTopic) {
  kafka_.close_topic("metrics");
  add(0, "metrics");
  start();
  world_.run_for(1s);
  add(0, "results");
  std::optional<bool> everything;
  publisher_.drain(30s, [&](bool all) { everything = all; });
  world_.run_for(200ms);
  EXPECT_EQ(everything, false);
  EXPECT_EQ(published_of("results"), std::vector<std::string>{"2"});
}

TEST_F(PublisherTest, TheNextOwnerSendsWhatWasWithdrawn) {
  kafka_.close_topic("metrics");
  add(0, "metrics");
  add(0, "results");
  start();
  ASSERT_TRUE(published(1, 2s));
  publisher_.stop();
  ledger_.die(self_);
  kafka_.open_topic("metrics");
  Publisher next(outbox_, transports_, world_, {}, events());
  next.start(ledger_.enter());
  EXPECT_TRUE(published(2, 5s));
  world_.run_for(1s);
  EXPECT_TRUE(ledger_.all_published());
  EXPECT_EQ(kafka_.committed().size(), 2u);
}

/// Topics close and open; requests and answers get lost, are carried out late; owners die.
TEST_F(PublisherTest, EachRecordOnceAndInItsTopicsOrderWhateverClosesAndGetsLost) {
  std::int64_t withdrawn = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    network_.faults().delay_max = Milliseconds(seed * 3);
    network_.faults().lost_request_permille = 20;
    network_.faults().lost_answer_permille = 20;
    auto publisher =
        std::make_unique<Publisher>(outbox_, transports_, world_, PublisherOptions{}, events());
    IncarnationId self = ledger_.enter();
    publisher->start(self);
    for (int step = 0; step < 60; ++step) {
      const int turn = step * 7 + seed * 13;
      const std::string topic = turn % 3 == 0 ? "metrics" : "results";
      turn % 5 < 2 ? kafka_.close_topic(topic) : kafka_.open_topic(topic);
      add(turn % 2, turn % 4 < 2 ? "metrics" : "results");
      publisher->nudge(turn % 2);
      world_.run_for(Milliseconds(turn % 11 == 0 ? 6000 : turn % 400));
      if (turn % 29 != 0) continue;
      withdrawn += publisher->counters().withdrawn;
      publisher->stop();
      ledger_.die(self);
      publisher =
          std::make_unique<Publisher>(outbox_, transports_, world_, PublisherOptions{}, events());
      publisher->start(self = ledger_.enter());
    }
    kafka_.open_topic("metrics");
    kafka_.open_topic("results");
    network_.faults() = {};
    EXPECT_TRUE(world_.run_until([&] { return ledger_.all_published(); }, 200s));
    world_.run_for(61s);
    EXPECT_EQ(publisher->closed_topics(), "");
    withdrawn += publisher->counters().withdrawn;
    publisher->stop();
    ledger_.die(self);
  }
  EXPECT_GT(withdrawn, 100);
  EXPECT_EQ(stopped_, "");
  ASSERT_EQ(kafka_.committed().size(), static_cast<std::size_t>(rows_));
  for (const int shard : {0, 1})
    for (const char* topic : {"metrics", "results"}) {
      std::vector<int> numbers;
      for (const OutboxRecord& record : kafka_.committed())
        if (record.shard == shard && record.topic == topic)
          numbers.push_back(std::stoi(record.result_id.value));
      EXPECT_EQ(std::ranges::adjacent_find(numbers, std::greater_equal<>()), numbers.end())
          << shard << topic;
    }
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
