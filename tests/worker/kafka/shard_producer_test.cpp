// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/shard_producer.hpp"

#include "tests/worker/kafka/broker_fixture.hpp"

namespace ba::kafka {
namespace {

using ShardProducerTest = BrokerTest;

OutboxBatch batch_to(const std::string& topic) {
  OutboxBatch batch;
  batch.number = 1;
  OutboxRecord& record = batch.records.emplace_back();
  record.topic = topic;
  record.key = "k";
  record.value = "v";
  return batch;
}

/// Two installations with one prefix, or two owners of a shard: the brokers don't say which.
TEST_F(ShardProducerTest, WhoIsFencedIsToldWhatItCanMeanAndHowToMendIt) {
  ShardProducer ours(options_, 0);
  ShardProducer theirs(options_, 0);
  ASSERT_TRUE(ours.open());
  ASSERT_TRUE(theirs.open());
  const auto sent = ours.send(batch_to(options_.topics.results));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::Fenced);
  const std::string& message = sent.error().message;
  EXPECT_NE(message.find(transactional_id(options_.outbox, 0)), std::string::npos) << message;
  EXPECT_NE(message.find("another installation with the same "
                         "kafka.publisher.transactional_id_prefix (" +
                         options_.outbox.transactional_id_prefix + ")"),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace ba::kafka
