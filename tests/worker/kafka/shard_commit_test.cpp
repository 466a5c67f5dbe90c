// SPDX-License-Identifier: Apache-2.0
// How long a shard's producer waits for the end of its transaction, with librdkafka's own brokers
// in memory, whose coordinator is told when to answer.
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <algorithm>
#include <future>
#include <thread>

#include "worker/kafka/client.hpp"
#include "worker/kafka/shard_producer.hpp"

namespace ba::kafka {
namespace {

using SteadyClock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::int16_t kEndTxn = 26;
constexpr std::chrono::seconds kPatience{30};  ///< enough on a busy machine

class ShardCommitTest : public testing::Test {
 protected:
  ShardCommitTest()
      : host_(rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), nullptr, 0)),
        brokers_(rd_kafka_mock_cluster_new(host_.get(), 1)) {
    options_.brokers = rd_kafka_mock_cluster_bootstraps(brokers_.get());
    for (const std::string* topic : {&options_.topics.results, &options_.topics.receipts})
      rd_kafka_mock_topic_create(brokers_.get(), topic->c_str(), 4, 1);
    rd_kafka_mock_start_request_tracking(brokers_.get());
  }

  void coordinator_is_away() {
    const std::vector<rd_kafka_resp_err_t> answers(100'000,
                                                   RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE);
    rd_kafka_mock_push_request_errors_array(brokers_.get(), kEndTxn, answers.size(),
                                            answers.data());
  }
  void coordinator_is_back() { rd_kafka_mock_clear_request_errors(brokers_.get(), kEndTxn); }
  void coordinator_takes(std::chrono::milliseconds time) {
    rd_kafka_mock_broker_push_request_error_rtts(
        brokers_.get(), 1, kEndTxn, 1, RD_KAFKA_RESP_ERR_NO_ERROR, static_cast<int>(time.count()));
  }

  /// How often the brokers were asked to end a transaction.
  int ends_asked() {
    std::size_t count = 0;
    rd_kafka_mock_request_t** requests = rd_kafka_mock_get_requests(brokers_.get(), &count);
    const auto ends = std::count_if(requests, requests + count, [](auto* request) {
      return rd_kafka_mock_request_api_key(request) == kEndTxn;
    });
    rd_kafka_mock_request_destroy_array(requests, count);
    return static_cast<int>(ends);
  }

  static std::future<Result<bool>> sending(ShardProducer& producer) {
    OutboxBatch batch;
    batch.number = 1;
    OutboxRecord& record = batch.records.emplace_back();
    record.topic = KafkaTopics().results;
    record.key = "k";
    record.value = "v";
    return std::async(std::launch::async,
                      [&producer, batch = std::move(batch)] { return producer.send(batch); });
  }

  Result<bool> answer(std::future<Result<bool>> sent) {
    if (sent.wait_for(kPatience) != std::future_status::ready) {
      ADD_FAILURE() << "it waits without end";
      coordinator_is_back();
    }
    return sent.get();
  }

  ClientHandle host_;
  std::unique_ptr<rd_kafka_mock_cluster_t, Destroyer<rd_kafka_mock_cluster_destroy>> brokers_;
  KafkaOptions options_;
};

TEST_F(ShardCommitTest, AnOutcomeThatIsNotHeardInTimeIsUnknown) {
  options_.outbox.transaction_timeout = 1s;
  ShardProducer producer(options_, 0);
  ASSERT_TRUE(producer.open());
  coordinator_is_away();
  const auto sent = answer(sending(producer));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::Timeout);
  EXPECT_TRUE(sent.error().maybe_done);
  EXPECT_NE(sent.error().message.find("kafka.publisher.transaction_timeout_ms (1000)"),
            std::string::npos)
      << sent.error().message;
  coordinator_is_back();
  EXPECT_TRUE(producer.open()) << "the next producer begins afresh";
}

TEST_F(ShardCommitTest, WhoIsAbandonedWaitsForNoAnswer) {
  options_.outbox.transaction_timeout = 10min;
  ShardProducer producer(options_, 0);
  ASSERT_TRUE(producer.open());
  coordinator_is_away();
  auto sent = sending(producer);
  const auto give_up = SteadyClock::now() + kPatience;
  while (ends_asked() == 0 && SteadyClock::now() < give_up) std::this_thread::yield();
  ASSERT_GT(ends_asked(), 0);
  producer.abandon();
  const auto answered = answer(std::move(sent));
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().code, ErrorCode::Timeout);
  EXPECT_TRUE(answered.error().maybe_done) << "the next owner finds out";
}

TEST_F(ShardCommitTest, ACommitThatNeededASecondCallIsUnknownAndAskedForOnce) {
  ShardProducer producer(options_, 0);
  ASSERT_TRUE(producer.open());
  coordinator_takes(7s);
  const auto sent = answer(sending(producer));
  ASSERT_FALSE(sent) << "the library may tell a second call of an earlier one's answer";
  EXPECT_EQ(sent.error().code, ErrorCode::Timeout);
  EXPECT_TRUE(sent.error().maybe_done);
  EXPECT_EQ(ends_asked(), 1);
}

}  // namespace
}  // namespace ba::kafka
