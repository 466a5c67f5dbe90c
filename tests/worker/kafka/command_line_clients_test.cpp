// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/kafka/broker_fixture.hpp"

namespace ba::kafka {
namespace {

using namespace std::chrono_literals;

using CommandLineClientsTest = BrokerTest;

TEST_F(CommandLineClientsTest, TheProducerSaysWhereEachRecordStands) {
  auto producer = JobProducer::create(options_);
  ASSERT_TRUE(producer) << producer.error().message;
  const std::string topic = options_.topics.jobs[1];
  const auto first = (*producer)->send({topic, "k", "one", {}});
  const auto second = (*producer)->send({topic, "k", "two", {}});
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(first->offset, 0);
  EXPECT_EQ(second->offset, 1);
  EXPECT_EQ(first->partition, second->partition);
  EXPECT_EQ(second->topic, topic);
}

TEST_F(CommandLineClientsTest, TheProducerNamesATopicThatIsNotThereAtOnce) {
  auto producer = JobProducer::create(options_);
  ASSERT_TRUE(producer);
  std::vector<OutgoingRecord> records;
  for (const std::string& topic : {std::string("no-such-topic"), options_.topics.jobs[1]})
    records.push_back({topic, {}, "one", {}});
  const auto sent = (*producer)->send_all(std::move(records));
  ASSERT_FALSE(sent[0]);
  EXPECT_EQ(sent[0].error().code, ErrorCode::NotFound);
  EXPECT_EQ(sent[0].error().message,
            "kafka: topic no-such-topic does not exist: run `ba-agent topics create`, or correct "
            "kafka.topics");
  EXPECT_TRUE(sent[1]) << "the others are sent";
}

TEST_F(CommandLineClientsTest, TheProducerRefusesARecordThatIsTooLong) {
  options_.outbox.record_bytes_max = 2'000;
  auto producer = JobProducer::create(options_);
  ASSERT_TRUE(producer);
  const auto sent = (*producer)->send({options_.topics.jobs[1], {}, std::string(3'000, 'x'), {}});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::LimitExceeded);
}

TEST_F(CommandLineClientsTest, AReaderFromTheEndSeesExactlyWhatComesLater) {
  auto producer = JobProducer::create(options_);
  ASSERT_TRUE(producer);
  const std::string topic = options_.topics.results;
  ASSERT_TRUE((*producer)->send({topic, "a", "before", {}}));
  auto reader = ResultReader::create(options_, {topic, options_.topics.progress}, ReadFrom::End);
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_TRUE((*producer)->send({topic, "a", "after", {{"n", "v"}}}));
  std::vector<RawRecord> records;
  for (int i = 0; i < 20 && records.empty(); ++i) {
    auto read = (*reader)->read(1s, 10);
    ASSERT_TRUE(read) << read.error().message;
    records = std::move(*read);
  }
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].value, "after");
  EXPECT_EQ(records[0].key, "a");
  EXPECT_EQ(records[0].headers, (Headers{{"n", "v"}}));
}

TEST_F(CommandLineClientsTest, AReaderGoesOnWhereAnotherStopped) {
  auto producer = JobProducer::create(options_);
  ASSERT_TRUE(producer);
  const std::string topic = options_.topics.results;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE((*producer)->send({topic, "a", std::to_string(i), {}}));
  auto first = ResultReader::create(options_, {topic}, ReadFrom::Beginning);
  ASSERT_TRUE(first);
  std::size_t count = 0;
  while (count < 2) {
    const auto read = (*first)->read(5s, 2 - count);
    ASSERT_TRUE(read);
    count += read->size();
  }
  auto second = ResultReader::create(options_, (*first)->positions());
  ASSERT_TRUE(second);
  std::vector<std::string> values;
  while (!(*second)->at_end()) {
    const auto read = (*second)->read(5s, 10);
    ASSERT_TRUE(read);
    for (const RawRecord& record : *read) values.push_back(record.value);
  }
  EXPECT_EQ(values, (std::vector<std::string>{"2", "3", "4"}));
}

TEST_F(CommandLineClientsTest, AReaderOfATopicThatIsNotThereSaysSo) {
  const auto reader = ResultReader::create(options_, {"no-such-topic"}, ReadFrom::End);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::NotFound) << reader.error().message;
  EXPECT_NE(reader.error().message.find("no-such-topic"), std::string::npos);
}

}  // namespace
}  // namespace ba::kafka
