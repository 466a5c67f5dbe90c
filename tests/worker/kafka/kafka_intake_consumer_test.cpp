// SPDX-License-Identifier: Apache-2.0
// What only the real consumer does; the rest: tests/contract/intake_consumer.
#include "worker/kafka/kafka_intake_consumer.hpp"

#include <set>

#include "pipeline/core/intake/intake_batch.hpp"
#include "tests/worker/kafka/broker_fixture.hpp"

namespace ba::kafka {
namespace {

using namespace std::chrono_literals;

/// A worker's control thread as far as intake is concerned, with a ledger that is a map.
class Worker {
 public:
  Worker(const KafkaOptions& options, LoopExecutor& control) : control_(control) {
    IntakeEvents events;
    events.start_offsets = [this](std::vector<PartitionOffset> partitions,
                                  Completion<std::vector<PartitionOffset>> done) {
      ++asked;
      for (PartitionOffset& partition : partitions) {
        const auto found = ledger.find({partition.topic, partition.partition});
        partition.next_offset = found == ledger.end() ? -1 : found->second;
        partition.epoch = epochs[{partition.topic, partition.partition}];
      }
      done(std::move(partitions));
    };
    events.begin_epoch = [this](PartitionOffset partition, Completion<PartitionOffset> done) {
      int& known = epochs[{partition.topic, partition.partition}];
      if (known != partition.epoch)
        return done(Error{ErrorCode::Conflict, Retry::Never, "", "", {}, false});
      partition.epoch = ++known;
      ledger[{partition.topic, partition.partition}] = partition.next_offset = -1;
      done(partition);
    };
    events.records = [this](std::vector<RawRecord> batch) {
      records.insert(records.end(), batch.begin(), batch.end());
      consumer->acknowledge(batch.size(), next_offsets(batch));
    };
    events.trouble = [this](Error error) { troubles.push_back(error.message); };
    auto created = make_intake_consumer(options, control, std::move(events));
    EXPECT_TRUE(created) << created.error().message;
    consumer = std::move(created.value());
  }

  bool has(std::size_t count) {
    return control_.run_until([&] { return records.size() >= count; }, 20s);
  }

  /// Runs the control thread for a while in which nothing should come.
  void listen(Milliseconds span) {
    control_.run_until([] { return false; }, span);
  }

  bool close() {
    bool closed = false;
    consumer->close([&] { closed = true; });
    return control_.run_until([&] { return closed; }, 20s);
  }

  std::multiset<std::string> values() const {
    std::multiset<std::string> values;
    for (const RawRecord& record : records) values.insert(record.value);
    return values;
  }

  bool trouble_mentions(const std::string& text) const {
    return std::any_of(troubles.begin(), troubles.end(), [&](const std::string& trouble) {
      return trouble.find(text) != std::string::npos;
    });
  }

  std::map<std::pair<std::string, int>, std::int64_t> ledger;
  std::map<std::pair<std::string, int>, int> epochs;
  int asked = 0;
  std::vector<RawRecord> records;
  std::vector<std::string> troubles;
  std::unique_ptr<IntakeConsumer> consumer;

 private:
  LoopExecutor& control_;
};

class IntakeConsumerTest : public BrokerTest {
 protected:
  void SetUp() override {
    BrokerTest::SetUp();
    if (HasFatalFailure()) return;
    auto created = JobProducer::create(options_);
    ASSERT_TRUE(created) << created.error().message;
    producer_ = std::move(*created);
  }

  /// Sends "0", "1", … to one partition of the lane (by one key). The last answer.
  RecordSource send(int count, Lane lane = Lane::Normal, std::size_t bytes = 0) {
    std::vector<OutgoingRecord> records;
    for (int i = 0; i < count; ++i)
      records.push_back({options_.topics.jobs.at(static_cast<std::size_t>(lane)),
                         "key",
                         bytes ? std::string(bytes, 'x') : std::to_string(sent_++),
                         {{"ce_id", "e"}}});
    RecordSource last;
    for (const auto& answer : producer_->send_all(std::move(records))) {
      EXPECT_TRUE(answer) << answer.error().message;
      if (answer) last = *answer;
    }
    return last;
  }

  std::unique_ptr<JobProducer> producer_;
  int sent_ = 0;
};

TEST_F(IntakeConsumerTest, RecordsCarryTheirKeyHeadersAndTime) {
  send(1);
  Worker worker(options_, control_);
  ASSERT_TRUE(worker.has(1));
  const RawRecord& record = worker.records.front();
  EXPECT_EQ(record.key, "key");
  EXPECT_EQ(record.headers, (Headers{{"ce_id", "e"}}));
  EXPECT_GT(record.source.timestamp_ms, 0);
}

TEST_F(IntakeConsumerTest, StopsAPartitionWhoseOffsetIsOutOfRange) {
  const RecordSource last = send(3);
  send(1, Lane::High);
  KafkaOptions options = options_;
  Worker worker(options, control_);
  worker.ledger[{last.topic, last.partition}] = 999;
  ASSERT_TRUE(worker.has(1));
  ASSERT_TRUE(control_.run_until([&] { return !worker.troubles.empty(); }, 20s));
  EXPECT_TRUE(worker.trouble_mentions("999"));
  EXPECT_TRUE(worker.trouble_mentions("on_offset_out_of_range"));
  worker.listen(300ms);
  EXPECT_EQ(worker.records.size(), 1u);
}

TEST_F(IntakeConsumerTest, GoesToTheBeginningWhenConfiguredSo) {
  const RecordSource last = send(3);
  options_.intake.on_offset_out_of_range = OutOfRange::Earliest;
  Worker worker(options_, control_);
  worker.ledger[{last.topic, last.partition}] = 999;
  EXPECT_TRUE(worker.has(3));
  worker.listen(300ms);
  EXPECT_EQ(worker.records.size(), 3u);
  EXPECT_TRUE(worker.trouble_mentions("999"));
  const auto key = std::pair(last.topic, last.partition);
  EXPECT_EQ(worker.ledger.at(key), -1) << "the ledger forgot its offset before anything was read";
  EXPECT_EQ(worker.epochs.at(key), 1);
  for (const RawRecord& record : worker.records) EXPECT_EQ(record.source.epoch, 1);
  EXPECT_EQ(next_offsets(worker.records).at(0).epoch, 1);
}

TEST_F(IntakeConsumerTest, FollowsTheLedgerWhenAnotherWorkerBeganTheEpoch) {
  const RecordSource last = send(3);
  options_.intake.on_offset_out_of_range = OutOfRange::Earliest;
  Worker worker(options_, control_);
  const auto key = std::pair(last.topic, last.partition);
  worker.ledger[key] = 999;
  ASSERT_TRUE(control_.run_until([&] { return worker.asked == 1; }, 20s));
  worker.epochs[key] = 1;  // and it has read one record already
  worker.ledger[key] = 1;
  ASSERT_TRUE(worker.has(2));
  worker.listen(300ms);
  EXPECT_EQ(worker.values(), (std::multiset<std::string>{"1", "2"}));
  EXPECT_EQ(worker.records.front().source.epoch, 1);
}

TEST_F(IntakeConsumerTest, ARecordLongerThanAFetchStillArrives) {
  options_.intake.record_bytes_max = 1'024;
  send(1, Lane::Normal, 300'000);
  send(1, Lane::Normal);
  Worker worker(options_, control_);
  ASSERT_TRUE(worker.has(2));
  EXPECT_EQ(worker.records.front().value.size(), 300'000u);
}

TEST_F(IntakeConsumerTest, AShortSessionIsKeptAlive) {
  options_.intake.session_timeout = 1'500ms;
  Worker worker(options_, control_);
  ASSERT_TRUE(control_.run_until([&] { return worker.consumer->state().assigned; }, 20s));
  const auto before = worker.consumer->state().rebalances;
  worker.listen(4s);
  EXPECT_EQ(worker.consumer->state().rebalances, before);
}

TEST(IntakeConsumerWithoutBroker, KeepsTryingAndCanBeClosed) {
  KafkaOptions options;
  options.brokers = "127.0.0.1:1";
  LoopExecutor control;
  Worker worker(options, control);
  ASSERT_TRUE(control.run_until([&] { return !worker.troubles.empty(); }, 20s));
  EXPECT_FALSE(worker.consumer->state().connected);
  EXPECT_TRUE(worker.close());
}

}  // namespace
}  // namespace ba::kafka
