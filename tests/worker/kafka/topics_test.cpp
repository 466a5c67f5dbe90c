// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/topics.hpp"

#include "tests/worker/kafka/broker_fixture.hpp"
#include "worker/kafka/access_check.hpp"

namespace ba::kafka {
namespace {

using TopicsTest = BrokerTest;

TEST_F(TopicsTest, CreatingAgainChangesNothingAndEverythingIsRight) {
  const auto again = create_topics(options_);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->size(), 8u);
  for (const TopicFinding& finding : *again)
    EXPECT_EQ(finding.status, TopicStatus::Ok) << finding.message;
}

TEST_F(TopicsTest, AMissingTopicIsNamedWithItsRemedy) {
  options_.topics.results += ".other";
  const auto findings = verify_topics(options_);
  ASSERT_TRUE(findings) << findings.error().message;
  EXPECT_FALSE(usable(*findings));
  const auto wrong = std::find_if(findings->begin(), findings->end(), [](const auto& finding) {
    return finding.status == TopicStatus::Wrong;
  });
  EXPECT_EQ(wrong->topic, options_.topics.results);
  EXPECT_NE(wrong->message.find("topics create"), std::string::npos);
}

TEST_F(TopicsTest, TheReceiptsTopicMustHaveOnePartitionForEachShard) {
  options_.topic_settings.shards = 3;
  const auto findings = verify_topics(options_);
  ASSERT_TRUE(findings);
  EXPECT_FALSE(usable(*findings));
}

TEST_F(TopicsTest, AReceiptsTopicThatIsNotCompactedIsRefused) {
  std::swap(options_.topics.receipts, options_.topics.progress);
  const auto findings = verify_topics(options_);
  ASSERT_TRUE(findings);
  EXPECT_FALSE(usable(*findings));
  const bool named = std::any_of(findings->begin(), findings->end(), [](const auto& finding) {
    return finding.status == TopicStatus::Wrong &&
           finding.message.find("cleanup.policy=delete") != std::string::npos;
  });
  EXPECT_TRUE(named);
}

TEST_F(TopicsTest, FewerPartitionsThanWantedAreAWarning) {
  options_.topic_settings.job_partitions = 4;
  const auto findings = verify_topics(options_);
  ASSERT_TRUE(findings);
  EXPECT_TRUE(usable(*findings));
  EXPECT_EQ(
      std::count_if(findings->begin(), findings->end(),
                    [](const auto& finding) { return finding.status == TopicStatus::Warning; }),
      3);
}

TEST_F(TopicsTest, BrokersAreCounted) {
  const auto report = check_brokers(options_, std::chrono::seconds(10));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->brokers.empty());
  EXPECT_GE(report->topics, 8);
}

TEST(TopicsWithoutBroker, SayWhichBrokersDoNotAnswer) {
  KafkaOptions options;
  options.brokers = "127.0.0.1:1";
  options.request_timeout = Milliseconds(300);
  const auto findings = verify_topics(options);
  ASSERT_FALSE(findings);
  EXPECT_NE(findings.error().message.find("127.0.0.1:1"), std::string::npos);
  EXPECT_FALSE(check_brokers(options, Milliseconds(300)));
}

}  // namespace
}  // namespace ba::kafka
