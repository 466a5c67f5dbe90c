// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/kafka_options.hpp"

#include <gtest/gtest.h>

#include "worker/kafka/job_producer.hpp"
#include "worker/kafka/result_reader.hpp"
#include "worker/kafka/topics.hpp"

namespace ba::kafka {
namespace {

KafkaOptions good() {
  KafkaOptions options;
  options.brokers = "127.0.0.1:1";
  return options;
}

std::string complaint(const KafkaOptions& options) {
  const auto checked = validate(options);
  return checked ? "" : checked.error().message;
}

TEST(KafkaOptions, TheDefaultsAreValidOnceBrokersAreNamed) {
  EXPECT_EQ(complaint(good()), "");
  EXPECT_NE(complaint(KafkaOptions{}), "");
}

TEST(KafkaOptions, BrokersAreHostsWithPorts) {
  for (const char* fine :
       {"a", "a:9092", "a:9092,b:9093", "a:1, b:2", "[::1]:9092", "SSL://a:9093"}) {
    KafkaOptions options = good();
    options.brokers = fine;
    EXPECT_EQ(complaint(options), "") << fine;
  }
  for (const char* wrong : {"a:notaport", "a:", "a:0", "a:65536", "a:9092x", ":9092", "a:1,",
                            ",a:1", "a:1,,b:2", " "}) {
    KafkaOptions options = good();
    options.brokers = wrong;
    EXPECT_EQ(complaint(options).rfind("kafka.brokers: \"", 0), 0u) << wrong;
  }
}

TEST(KafkaOptions, CredentialsDoNotBelongToABrokerAndAreNotRepeated) {
  for (const char* with : {"SSL://u:hunter2@a:9093", "u:hunter2@a:1"}) {
    KafkaOptions options = good();
    options.brokers = with;
    EXPECT_NE(complaint(options).find("sasl.password"), std::string::npos);
    EXPECT_EQ(complaint(options).find("hunter2"), std::string::npos);
  }
}

TEST(KafkaOptions, APropertyThatWouldBreakAGuaranteeIsRefused) {
  for (const char* name :
       {"transactional.id", "isolation.level", "enable.auto.commit", "acks", "enable.idempotence",
        "partition.assignment.strategy", "group.protocol"}) {
    KafkaOptions options = good();
    options.properties[name] = "x";
    EXPECT_NE(complaint(options).find(name), std::string::npos);
  }
}

TEST(KafkaOptions, AWrongPropertyIsNamedWithoutItsValue) {
  KafkaOptions options = good();
  options.properties["sasl.mechanism"] = "PLAIN";
  options.properties["ssl.endpoint.identification.algorithm"] = "secret-value";
  const auto producer = JobProducer::create(options);
  ASSERT_FALSE(producer);
  EXPECT_NE(producer.error().message.find("ssl.endpoint"), std::string::npos);
  EXPECT_EQ(producer.error().message.find("secret-value"), std::string::npos);
}

TEST(KafkaOptions, TopicNamesAreLegalAndDistinct) {
  KafkaOptions options = good();
  options.topics.results = "not a topic";
  EXPECT_NE(complaint(options).find("not a topic"), std::string::npos);
  options.topics.results = options.topics.metrics;
  EXPECT_NE(complaint(options).find("twice"), std::string::npos);
}

TEST(KafkaOptions, WhoIsGivenUpLaterThanItPollsIsNamed) {
  KafkaOptions options = good();
  options.intake.session_timeout = options.intake.poll_interval_max + Milliseconds(1);
  EXPECT_EQ(complaint(options),
            "kafka.intake.poll_interval_max_ms: 600000 is not at least "
            "kafka.intake.session_timeout_ms, which is 600001");
}

TEST(KafkaOptions, LanesFollowTheTopic) {
  const KafkaTopics topics;
  EXPECT_EQ(lane_of_topic(topics.jobs, "ba.jobs.high"), Lane::High);
  EXPECT_EQ(lane_of_topic(topics.jobs, "ba.jobs"), Lane::Normal);
  EXPECT_EQ(lane_of_topic(topics.jobs, "ba.jobs.batch"), Lane::Batch);
  EXPECT_EQ(lane_of_topic(topics.jobs, "ba.results"), std::nullopt);
}

void expect_no_answer(const Error& error) {
  EXPECT_EQ(error.code, ErrorCode::Unavailable);
  EXPECT_NE(error.message.find("no answer from 127.0.0.1:1 within 0.5 s"), std::string::npos)
      << error.message;
  EXPECT_NE(error.message.find("correct kafka.brokers"), std::string::npos) << error.message;
}

TEST(KafkaOptions, BrokersThatDoNotAnswerAreNamedWithTheRemedy) {
  KafkaOptions options = good();
  options.request_timeout = Milliseconds(500);
  const auto producer = JobProducer::create(options);
  ASSERT_FALSE(producer);
  expect_no_answer(producer.error());
  EXPECT_NE(producer.error().message.find("Connection refused"), std::string::npos);
  const auto reader = ResultReader::create(options, {"t"}, ReadFrom::End);
  ASSERT_FALSE(reader);
  expect_no_answer(reader.error());
  const auto topics = verify_topics(options);
  ASSERT_FALSE(topics);
  expect_no_answer(topics.error());
}

}  // namespace
}  // namespace ba::kafka
