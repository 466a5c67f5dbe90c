// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/replacement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ba/v1/dead_letter.pb.h"
#include "ba/v1/metrics_report.pb.h"
#include "pipeline/text/contract/dead_letter.hpp"
#include "pipeline/text/contract/encode_result.hpp"
#include "pipeline/text/contract/event_headers.hpp"
#include "pipeline/text/contract/make_outbox_records.hpp"
#include "pipeline/text/contract/proto_value.hpp"
#include "tests/pipeline/text/contract/sample_values.hpp"

namespace ba {
namespace {

using test::sample_job;
using test::sample_report;
using test::sample_result;
using testing::HasSubstr;

class ReplacementTest : public testing::TestWithParam<Encoding> {
 protected:
  ReplacementTest() {
    publication_.encoding = GetParam();
    JobResult result = sample_result();
    result.answers = {{0, std::string(100'000, 'x')}};
    records_ = make_outbox_records(sample_job(), result, sample_report(), publication_);
  }
  Publication publication_;
  FinishedRecords records_;
};

INSTANTIATE_TEST_SUITE_P(Encodings, ReplacementTest,
                         testing::Values(Encoding::Json, Encoding::Protobuf),
                         [](const auto& which) {
                           return which.param == Encoding::Json ? "Json" : "Protobuf";
                         });

TEST_P(ReplacementTest, AResultSaysThatItWasRefusedAndBecomesTheJobsResult) {
  const OutboxRecord& refused = records_.outbox.at(0);
  const auto replacement = replacement_for(refused, "Broker: Message size too large");
  ASSERT_TRUE(replacement);
  EXPECT_EQ(replacement->record.result_id, refused.result_id);
  EXPECT_EQ(replacement->record.key, refused.key);
  EXPECT_EQ(replacement->record.headers, refused.headers);
  EXPECT_LT(replacement->record.value.size(), 4'000u);
  const auto result = decode_result(replacement->record.value, "");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(*result, *replacement->result);
  EXPECT_EQ(result->outcome, Outcome::Failed);
  EXPECT_EQ(result->error->code, "RESULT_REFUSED");
  EXPECT_THAT(result->error->message, HasSubstr("Message size too large"));
  EXPECT_EQ(result->totals, sample_result().totals);
}

TEST_P(ReplacementTest, AMetricsReportLosesItsLists) {
  const auto replacement = replacement_for(records_.outbox.at(1), "too large");
  ASSERT_TRUE(replacement);
  EXPECT_FALSE(replacement->result);
  v1::MetricsReport report;
  ASSERT_FALSE(read_proto_value(replacement->record.value, "", report));
  EXPECT_EQ(report.tools_size(), 0);
  EXPECT_EQ(report.job_id(), sample_job().job_id.value);
}

TEST_P(ReplacementTest, AJobsDeadLetterLosesItsConversation) {
  ConversationExcerpt conversation;
  conversation.messages = {{std::string(50'000, 'x'), 0}, {std::string(50'000, 'y'), 0}};
  const Job job = sample_job();
  const JobError error{"internal", "ATTEMPTS_EXHAUSTED", "crashed"};
  const OutboxRecord refused =
      make_job_dead_letter({job, "payload", conversation, error, 4, {}}, publication_);
  const auto replacement = replacement_for(refused, "too large");
  ASSERT_TRUE(replacement);
  v1::DeadLetter letter;
  ASSERT_FALSE(read_proto_value(replacement->record.value, "", letter));
  EXPECT_EQ(letter.job_id(), job.job_id.value);
  EXPECT_EQ(letter.conversation().messages_left_out(), 2);
  EXPECT_THAT(letter.conversation().unreadable(), HasSubstr("too large"));
}

TEST_P(ReplacementTest, ARecordsDeadLetterKeepsOnlyWhereItStoodAndWhy) {
  const Headers headers = {{"big", std::string(10'000, 'h')}};
  const DeadLetter letter =
      make_dead_letter({std::nullopt, "value", headers, {"ba.jobs", "", 3, 42, 5}},
                       {"BAD_JSON", "", "why"}, publication_);
  const auto replacement = replacement_for(letter.record, "too large");
  ASSERT_TRUE(replacement);
  EXPECT_EQ(replacement->record.value, "");
  EXPECT_EQ(header(replacement->record.headers, "big"), std::nullopt);
  EXPECT_EQ(header(replacement->record.headers, "ba.error.offset"), "42");
  EXPECT_EQ(header(replacement->record.headers, "ba.error.original-bytes"), "5");
}

TEST_P(ReplacementTest, ADeadLetterWithoutAValueCanBecomeSmallerToo) {
  const Headers headers = {{"big", std::string(10'000, 'h')}};
  const DeadLetter letter =
      make_dead_letter({std::nullopt, "", headers, {}}, {"EMPTY_RECORD", "", ""}, publication_);
  EXPECT_TRUE(replacement_for(letter.record, "too large"));
}

// A replacement that was written unheard is met again, and is no record that Kafka refused.
TEST_P(ReplacementTest, NothingStandsForAReplacement) {
  const Job job = sample_job();
  ConversationExcerpt conversation;
  conversation.messages = {{std::string(50'000, 'x'), 0}};
  const JobError error{"internal", "ATTEMPTS_EXHAUSTED", "crashed"};
  const Headers headers = {{"big", std::string(10'000, 'h')}};
  const std::string value(12'345, 'v');
  for (const OutboxRecord& refused :
       {records_.outbox.at(0), records_.outbox.at(1),
        make_job_dead_letter({job, "payload", conversation, error, 4, {}}, publication_),
        make_dead_letter({std::nullopt, value, headers, {}}, {"BAD_JSON", "", ""}, publication_)
            .record}) {
    const auto replacement = replacement_for(refused, "too large");
    ASSERT_TRUE(replacement);
    EXPECT_FALSE(replacement_for(replacement->record, "too large")) << replacement->record.value;
  }
}

/// What a producer wrote into the headers of a record that is no job.
TEST_P(ReplacementTest, ALetterIsALetterWhateverItsRecordClaimed) {
  for (const Headers& claimed :
       {Headers{{"ce_type", kResultEventType}}, Headers{{"ce_type", kMetricsEventType}},
        Headers{{"ce_type", kDeadLetterEventType}}, Headers{{"ba.error.refused", "x"}},
        Headers{{"ba.error.topic", std::string(50'000, 't')}}}) {
    const std::string value = records_.outbox.at(0).value;
    const DeadLetter letter =
        make_dead_letter({std::nullopt, value, claimed, {}}, {"BAD_JSON", "", ""}, publication_);
    const auto replacement = replacement_for(letter.record, "too large");
    ASSERT_TRUE(replacement) << claimed.front().second;
    EXPECT_FALSE(replacement->result) << claimed.front().second;
    EXPECT_TRUE(replacement->record.value.empty());
    EXPECT_LT(bytes_of(replacement->record.headers), 1'000u) << "the producer's are gone";
  }
}

TEST_P(ReplacementTest, NothingStandsForARecordThatIsNoneOfOurs) {
  OutboxRecord foreign;
  foreign.value = "x";
  EXPECT_FALSE(replacement_for(foreign, "too large"));
}

}  // namespace
}  // namespace ba
