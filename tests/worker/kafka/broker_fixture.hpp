#pragma once
// SPDX-License-Identifier: Apache-2.0
// What tests on a real broker share: options whose topics, group and transactional ids are this
// test's own, so that tests can run side by side and again on the same broker.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/loop_executor.hpp"
#include "worker/kafka/job_producer.hpp"
#include "worker/kafka/kafka_options.hpp"
#include "worker/kafka/result_reader.hpp"
#include "worker/kafka/topics.hpp"

namespace ba::kafka {

inline KafkaOptions broker_options() {
  static std::atomic<int> count{0};
  const char* brokers = std::getenv("BA_KAFKA_BROKERS");
  KafkaOptions options;
  options.brokers = brokers ? brokers : "";
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string own = "test-" + std::to_string(getpid()) + "-" + std::to_string(now) + "-" +
                          std::to_string(++count) + ".";
  options.group_id = own + "group";
  options.outbox.transactional_id_prefix = own + "outbox";
  for (std::string& topic : options.topics.jobs) topic = own + topic;
  for (std::string* topic :
       {&options.topics.results, &options.topics.metrics, &options.topics.dead_letters,
        &options.topics.progress, &options.topics.receipts})
    *topic = own + *topic;
  options.topic_settings.job_partitions = 2;
  options.topic_settings.result_partitions = 2;
  options.topic_settings.shards = 2;
  return options;
}

/// The group's committed offset, as lag tools see it; -1: none.
std::int64_t committed_offset(const KafkaOptions& options, const std::string& topic, int partition);

/// What a test leaves behind slows the broker down for all others.
void delete_topics(const KafkaOptions& options);
void delete_topics(const KafkaOptions& options, const std::vector<std::string>& names);

class BrokerTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(options_.brokers, "") << "BA_KAFKA_BROKERS is not set: start a stack (ops/stack)";
    const auto created = create_topics(options_);
    ASSERT_TRUE(created) << created.error().message;
    for (const TopicFinding& finding : *created)
      ASSERT_EQ(finding.status, TopicStatus::Created) << finding.message;
  }

  void TearDown() override { delete_topics(created_); }

  KafkaOptions options_ = broker_options();
  const KafkaOptions created_ = options_;  ///< tests change options_
  LoopExecutor control_;
};

}  // namespace ba::kafka
