// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/needed_rights.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ba::kafka {
namespace {

KafkaOptions with_user(const std::string& user) {
  KafkaOptions options;
  options.brokers = "kafka-1:9093";
  if (!user.empty()) options.properties["sasl.username"] = user;
  return options;
}

bool needs(const KafkaOptions& options, const std::string& topic, KafkaOperation operation) {
  const auto rights = topic_rights_of_worker(options);
  const NeededRight right{KafkaResource::Topic, topic, operation};
  return std::find(rights.begin(), rights.end(), right) != rights.end();
}

TEST(NeededRights, AMissingRightNamesWhoWhatAndWhereAndTheCommandThatGivesIt) {
  const KafkaOptions options = with_user("ba-agent");
  const NeededRight right{KafkaResource::Topic, "ba.results", KafkaOperation::Write};
  EXPECT_EQ(lack_text(right, options), "User:ba-agent has no right Write on topic ba.results");
  EXPECT_EQ(grant_text(right, options),
            "`kafka-acls --bootstrap-server kafka-1:9093 --add --allow-principal User:ba-agent "
            "--operation Write --topic ba.results`");
  EXPECT_EQ(grant_text(transactions_right(options), options),
            "`kafka-acls --bootstrap-server kafka-1:9093 --add --allow-principal User:ba-agent "
            "--operation Write --transactional-id ba-agent-outbox "
            "--resource-pattern-type prefixed`");
}

TEST(NeededRights, WhereTheLoginDoesNotSayWhoAPlaceIsLeftForTheName) {
  const KafkaOptions options = with_user("");
  EXPECT_EQ(lack_text(group_right(options), options),
            "this client has no right Read on group ba-agent");
  EXPECT_NE(grant_text(group_right(options), options).find("--allow-principal User:NAME "),
            std::string::npos);
}

TEST(NeededRights, AShellTakesNamesAsTheyAre) {
  KafkaOptions options = with_user("CN=it's, O=x");
  options.group_id = "a b";
  const std::string command = grant_text(group_right(options), options);
  EXPECT_NE(command.find("'User:CN=it'\\''s, O=x'"), std::string::npos) << command;
  EXPECT_NE(command.find("--group 'a b'"), std::string::npos) << command;
}

TEST(NeededRights, AWorkerReadsJobsAndReceiptsAndWritesWhatItPublishes) {
  KafkaOptions options = with_user("");
  const KafkaTopics& topics = options.topics;
  for (const std::string& jobs : topics.jobs) {
    EXPECT_TRUE(needs(options, jobs, KafkaOperation::Read));
    EXPECT_FALSE(needs(options, jobs, KafkaOperation::Write));
  }
  for (const std::string& out :
       {topics.results, topics.metrics, topics.dead_letters, topics.progress}) {
    EXPECT_TRUE(needs(options, out, KafkaOperation::Write));
    EXPECT_FALSE(needs(options, out, KafkaOperation::Read));
  }
  EXPECT_TRUE(needs(options, topics.receipts, KafkaOperation::Read));
  EXPECT_TRUE(needs(options, topics.receipts, KafkaOperation::Write));
  options.progress = false;
  EXPECT_FALSE(needs(options, topics.progress, KafkaOperation::Write));
}

TEST(NeededRights, OnlyADenialIsExplainedByWhatIsMissing) {
  const KafkaOptions options = with_user("ba-agent");
  Error denied;
  denied.code = ErrorCode::PermissionDenied;
  denied.message = "kafka: sending";
  EXPECT_EQ(
      with_lack(denied, group_right(options), options)
          .message.rfind(
              "kafka: sending: User:ba-agent has no right Read on group ba-agent; `kafka-acls ", 0),
      0u);
  denied.code = ErrorCode::Timeout;
  EXPECT_EQ(with_lack(denied, group_right(options), options).message, "kafka: sending");
}

/// "asking for the partitions of topic ba.results: Topic authorization failed" alone helps nobody.
TEST(NeededRights, WhoReadsATopicIsToldWhetherTheTopicOrTheGroupIsDenied) {
  const KafkaOptions options = with_user("ba-agent");
  const auto told = [&options](const char* detail, const std::string& topic) {
    Error denied;
    denied.code = ErrorCode::PermissionDenied;
    denied.message = "kafka: asking";
    denied.detail = detail;
    return with_lack_of_reading(denied, topic, options).message;
  };
  EXPECT_EQ(told("TOPIC_AUTHORIZATION_FAILED", "ba.results"),
            "kafka: asking: User:ba-agent has no right Read on topic ba.results; `kafka-acls "
            "--bootstrap-server kafka-1:9093 --add --allow-principal User:ba-agent "
            "--operation Read --topic ba.results`");
  EXPECT_EQ(told("GROUP_AUTHORIZATION_FAILED", "ba.results"),
            "kafka: asking: User:ba-agent has no right Read on group ba-agent; `kafka-acls "
            "--bootstrap-server kafka-1:9093 --add --allow-principal User:ba-agent "
            "--operation Read --group ba-agent`");
  EXPECT_EQ(told("TOPIC_AUTHORIZATION_FAILED", ""), "kafka: asking") << "which topic isn't known";
}

}  // namespace
}  // namespace ba::kafka
