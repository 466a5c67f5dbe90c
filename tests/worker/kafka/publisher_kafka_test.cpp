// SPDX-License-Identifier: Apache-2.0
// The publisher and the real shard transport on a real broker, over an outbox in memory.
#include <algorithm>
#include <set>

#include "pipeline/outbox/publisher.hpp"
#include "tests/support/fake_outbox.hpp"
#include "tests/worker/kafka/broker_fixture.hpp"
#include "worker/kafka/kafka_shard_transport.hpp"

namespace ba {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

/// The table without a network in between: only Kafka is real here.
class DirectOutbox final : public Outbox {
 public:
  DirectOutbox(OutboxTable& table, Executor& executor) : table_(table), executor_(executor) {}

  void own_shards(IncarnationId self, Completion<std::vector<ShardState>> done) override {
    executor_.post([=, this] { done(table_.own_shards(self)); });
  }
  void pending_shards(IncarnationId self, Completion<std::vector<int>> done) override {
    executor_.post([=, this] { done(table_.pending_shards(self)); });
  }
  void next_batch(IncarnationId self, int shard, std::int64_t published, int records_max,
                  Completion<OutboxBatch> done) override {
    executor_.post([=, this] { done(table_.next_batch(self, shard, published, records_max)); });
  }
  void stop_shard(IncarnationId self, int shard, std::string reason,
                  Completion<void> done) override {
    executor_.post([=, this] { done(table_.stop_shard(self, shard, reason)); });
  }

 private:
  OutboxTable& table_;
  Executor& executor_;
};

class PublisherKafkaTest : public BrokerTest {
 protected:
  struct Worker {
    Worker(PublisherKafkaTest& test)
        : transports(test.options_, test.control_),
          publisher(test.outbox_, transports, test.control_, {}, test.events()) {
      self = test.table_.enter();
      publisher.start(self);
    }
    IncarnationId self;
    KafkaShardTransports transports;
    Publisher publisher;
  };

  PublisherEvents events() {
    PublisherEvents events;
    events.published = [this](int, std::int64_t, int records) { published_ += records; };
    return events;
  }

  int add() {
    OutboxRecord record;
    record.shard = rows_ % 2;
    record.result_id = ResultId(std::to_string(++rows_));
    record.topic = options_.topics.results;
    record.key = "tenant/" + record.result_id.value;
    record.value = record.result_id.value + std::string(800, ' ');
    table_.add(record);
    return record.shard;
  }

  std::multiset<std::string> committed() {
    std::multiset<std::string> keys;
    auto reader = ResultReader::create(options_, {options_.topics.results}, ReadFrom::Beginning);
    EXPECT_TRUE(reader) << reader.error().message;
    while (reader && !(*reader)->at_end()) {
      const auto records = (*reader)->read(5s, 1000);
      EXPECT_TRUE(records) << records.error().message;
      if (!records) break;
      for (const RawRecord& record : *records) keys.insert(*record.key);
    }
    return keys;
  }

  bool all_published() {
    return control_.run_until([this] { return table_.all_published(); }, 60s);
  }

  OutboxTable table_{2};
  DirectOutbox outbox_{table_, control_};
  int rows_ = 0;
  std::int64_t published_ = 0;
};

TEST_F(PublisherKafkaTest, EachRowIsCommittedOnceThoughOwnersAreKilledAllTheTime) {
  auto worker = std::make_unique<Worker>(*this);
  std::vector<std::unique_ptr<Worker>> killed;
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 100; ++i) worker->publisher.nudge(add());
    const std::int64_t target = published_ + 20;
    control_.run_until([&] { return published_ >= target; }, 20s);
    // As kill -9 would: what is in flight stays in flight, and the next owner takes over at once.
    worker->publisher.stop();
    table_.die(worker->self);
    killed.push_back(std::move(worker));
    worker = std::make_unique<Worker>(*this);
  }
  ASSERT_TRUE(all_published());
  const std::multiset<std::string> keys = committed();
  EXPECT_EQ(keys.size(), 600u);
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), 600u);
  EXPECT_FALSE(table_.any_stopped());
}

TEST_F(PublisherKafkaTest, PublishesANudgedRowSoonAndManyRowsQuickly) {
  Worker worker(*this);
  worker.publisher.nudge(add());
  ASSERT_TRUE(all_published());

  std::vector<double> milliseconds;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t target = published_ + 1;
    const auto began = SteadyClock::now();
    worker.publisher.nudge(add());
    ASSERT_TRUE(control_.run_until([&] { return published_ >= target; }, 20s));
    milliseconds.push_back(
        std::chrono::duration<double, std::milli>(SteadyClock::now() - began).count());
  }
  std::sort(milliseconds.begin(), milliseconds.end());

  const auto began = SteadyClock::now();
  const std::int64_t target = published_ + 10'000;
  for (int i = 0; i < 10'000; ++i) worker.publisher.nudge(add());
  ASSERT_TRUE(control_.run_until([&] { return published_ >= target; }, 60s));
  const std::chrono::duration<double> seconds = SteadyClock::now() - began;

  std::printf("nudge to committed: p50 %.1f ms, p99 %.1f ms; 2 shards: %.0f records/s\n",
              milliseconds[50], milliseconds[98], 10'000 / seconds.count());
  EXPECT_LT(milliseconds[50], 2'000);
}

}  // namespace
}  // namespace ba
