// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/dead_letter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ba/v1/dead_letter.pb.h"
#include "pipeline/text/contract/proto_value.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

using testing::HasSubstr;
using namespace std::string_literals;

TEST(DeadLetter, KeepsTheOriginalRecordAndSaysWhy) {
  const std::string value = "\x00\xff{"s;
  const Headers headers = {{"content-type", "x"}, {"a", "\xff"}, {"a", "2"}};
  const RecordSource source{"ba.jobs", "", 3, 42, 1700000000123};
  const DeadLetter letter = make_dead_letter({"key\xff", value, headers, source},
                                             {"BAD_JSON", "messages[2]", "no JSON"}, {});
  EXPECT_EQ(letter.source, source);
  EXPECT_EQ(letter.key, "key\xff");
  EXPECT_EQ(letter.value, value);
  EXPECT_EQ(letter.headers, headers);
  EXPECT_EQ(letter.record.topic, "ba.dead-letters");
  EXPECT_EQ(letter.record.key, "key\xff");
  EXPECT_EQ(letter.record.value, value);
  Headers expected = headers;
  expected.insert(expected.end(), {{"ba.error.topic", "ba.jobs"},
                                   {"ba.error.partition", "3"},
                                   {"ba.error.offset", "42"},
                                   {"ba.error.timestamp", "1700000000123"},
                                   {"ba.error.id", letter.record.result_id.value},
                                   {"ba.error.code", "BAD_JSON"},
                                   {"ba.error.field", "messages[2]"},
                                   {"ba.error.message", "no JSON"}});
  EXPECT_EQ(letter.record.headers, expected);
}

TEST(DeadLetter, ANullKeyOrValueIsToldFromAnEmptyOne) {
  const Headers headers;
  const DeadLetter null =
      make_dead_letter({std::nullopt, "", headers, {}, true}, {"BAD_JSON", "", ""}, {});
  EXPECT_EQ(header(null.record.headers, "ba.error.no-key"), "true");
  EXPECT_EQ(header(null.record.headers, "ba.error.no-value"), "true");
  const DeadLetter empty = make_dead_letter({"", "", headers, {}}, {"BAD_JSON", "", ""}, {});
  EXPECT_EQ(header(empty.record.headers, "ba.error.no-key"), std::nullopt);
  EXPECT_EQ(header(empty.record.headers, "ba.error.no-value"), std::nullopt);
}

TEST(DeadLetter, WhatIsTooLongToBePublishedStaysInTheLedger) {
  const std::string key(100'000, 'k');
  const std::string value(5'000'000, 'v');
  const Headers headers = {{"big", std::string(300'000, 'h')}};
  const DeadLetter letter = make_dead_letter({key, value, headers, {}}, {"TOO_LARGE", "", ""}, {});
  EXPECT_EQ(letter.key, key);
  EXPECT_EQ(letter.value, value);
  EXPECT_EQ(letter.headers, headers);
  EXPECT_EQ(letter.record.key.size(), 65'536u);
  EXPECT_EQ(letter.record.value.size(), 4'194'304u);
  EXPECT_EQ(header(letter.record.headers, "big"), std::nullopt);
  EXPECT_EQ(header(letter.record.headers, "ba.error.original-key-bytes"), "100000");
  EXPECT_EQ(header(letter.record.headers, "ba.error.original-bytes"), "5000000");
  EXPECT_EQ(header(letter.record.headers, "ba.error.original-header-bytes"), "300003");
}

TEST(DeadLetter, TheSameRecordHasTheSameId) {
  const Headers headers;
  const RecordSource source{"ba.jobs", "", 3, 42, 5};
  const auto id = [&](const RecordSource& from) {
    return make_dead_letter({std::nullopt, "x", headers, from}, {"BAD_JSON", "", ""}, {})
        .record.result_id;
  };
  EXPECT_EQ(id(source), id(source));
  EXPECT_NE(id(source), id({"ba.jobs", "", 3, 43, 5}));
}

TEST(DeadLetter, TextsThatQuoteTheRecordAreCutAndStorable) {
  const Headers headers;
  std::string field(199, 'a');
  const DeadLetter letter =
      make_dead_letter({std::nullopt, "x", headers, {}},
                       {"BAD_JSON", field + "éé", "\xff\0"s + std::string(5000, 'b')}, {});
  EXPECT_EQ(letter.field, field + "…");
  EXPECT_EQ(letter.message.substr(0, 7), "\uFFFD\uFFFDb");
  EXPECT_LE(letter.message.size(), 1003U);
  EXPECT_EQ(letter.key, std::nullopt);
}

TEST(DeadLetter, HasAJsonForm) {
  const Headers headers = {{"a", "b"}};
  const std::string json = dead_letter_to_json(make_dead_letter(
      {std::nullopt, "\xff", headers, {"ba.jobs", "", 3, 42, 5}}, {"BAD_JSON", "", "why"}, {}));
  EXPECT_THAT(json, HasSubstr(R"("value":"/w==")"));
  EXPECT_THAT(json, HasSubstr(R"("code":"BAD_JSON")"));
  EXPECT_FALSE(utf8_defect(json));
}

TEST(DeadLetter, OfAJobHasAJsonFormInEitherEncoding) {
  Job job;
  job.tenant = TenantId("acme");
  const JobError error{"internal", "ATTEMPTS_EXHAUSTED", "crashed"};
  for (const Encoding encoding : {Encoding::Json, Encoding::Protobuf}) {
    Publication publication;
    publication.encoding = encoding;
    OutboxRecord record = make_job_dead_letter({job, "\x01\xff", {}, error, 4, {}}, publication);
    EXPECT_THAT(job_dead_letter_to_json(record).value(), HasSubstr(R"("value":"Af8=")"));
    record.value = "\xff";
    EXPECT_THAT(job_dead_letter_to_json(record).error().message,
                HasSubstr("of topic ba.dead-letters is no dead letter of a job"));
  }
}

TEST(DeadLetter, OfAJobCarriesTheJobAndItsConversation) {
  Job job;
  job.tenant = TenantId("acme");
  job.job_id = JobId("weekly");
  job.conversation_id = ConversationId("talk");
  ConversationExcerpt conversation;
  conversation.messages = {{"", 5000}, {R"({"type":"human"})", 0}};
  conversation.messages_left_out = 3;
  const JobError error{"internal", "ATTEMPTS_EXHAUSTED", "crashed\xff"};
  for (const Encoding encoding : {Encoding::Json, Encoding::Protobuf}) {
    Publication publication;
    publication.encoding = encoding;
    const OutboxRecord record =
        make_job_dead_letter({job, "\x01\xff", conversation, error, 4, {}}, publication);
    EXPECT_EQ(record.topic, "ba.dead-letters");
    EXPECT_EQ(header(record.headers, "ce_type"), "ba.analysis.dead_letter.v1");
    EXPECT_EQ(header(record.headers, "content-type"), media_type(encoding));
    EXPECT_EQ(header(record.headers, "ba.error.code"), "ATTEMPTS_EXHAUSTED");
    v1::DeadLetter letter;
    ASSERT_FALSE(read_proto_value(record.value, "", letter));
    EXPECT_EQ(letter.value(), "\x01\xff");
    EXPECT_EQ(letter.message(), "crashed\uFFFD");
    EXPECT_EQ(letter.conversation().messages(0).bytes_left_out(), 5000);
    EXPECT_EQ(letter.conversation().messages(1).json(), R"({"type":"human"})");
    EXPECT_EQ(letter.conversation().messages_left_out(), 3);
  }
}

}  // namespace
}  // namespace ba
