// SPDX-License-Identifier: Apache-2.0
// The protobuf form of a job: what is read, and how what is wrong is named.
#include <gtest/gtest.h>

#include <random>

#include "tests/pipeline/text/contract/record_builder.hpp"

namespace ba {
namespace {

using test::json_record;
using test::minimal_job;
using test::record_of;
using test::TestRecord;
using namespace std::string_literals;

TEST(DecodeProtobuf, UnknownFieldsAreIgnored) {
  TestRecord record = record_of(minimal_job());
  const Job expected = record.job();
  record.value += "\xf8\x06\x01"s;                   // field 111, varint
  record.value += "\xfa\x06\x03\xff\xff\xff"s;       // field 111, bytes
  record.value += "\xf9\x06" + std::string(8, 'x');  // field 111, 64 bits
  record.value += "\xfd\x06" + std::string(4, 'x');  // field 111, 32 bits
  record.value += "\xfb\x06\x08\x01\xfc\x06"s;       // field 111, group
  EXPECT_EQ(record.job(), expected);
}

TEST(DecodeProtobuf, BrokenUtf8NamesTheField) {
  v1::AnalysisJob job = minimal_job();
  job.add_messages("\xff");
  EXPECT_EQ(record_of(job).reason(), "BAD_UTF8 messages[1]");
  job = minimal_job();
  (*job.mutable_metadata())["a"] = "\xed\xa0\x80";
  EXPECT_EQ(record_of(job).reason(), "BAD_UTF8 metadata[0].value");
  job = minimal_job();
  job.set_tenant("a\0b"s);
  EXPECT_EQ(record_of(job).reason(), "BAD_UTF8 tenant");
}

TEST(DecodeProtobuf, AWrongWireTypeNamesTheField) {
  EXPECT_EQ(json_record("\x10\x01").reason(), "BAD_PROTOBUF tenant");
  EXPECT_EQ(json_record("\x5a\x03\x12\x01x").reason(), "BAD_PROTOBUF limits.tokens_max");
}

TEST(DecodeProtobuf, CutOffDataNamesTheField) {
  const std::string whole = minimal_job().SerializeAsString();
  EXPECT_EQ(json_record("\x12").reason(), "BAD_PROTOBUF tenant");
  EXPECT_EQ(json_record("\x12\x05"
                        "acme")
                .reason(),
            "BAD_PROTOBUF tenant");
  EXPECT_EQ(json_record("\xfb\x06\x08\x01").reason(), "BAD_PROTOBUF");
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_NE(json_record(whole.substr(0, size)).reason(), "") << size;
}

TEST(DecodeProtobuf, NestingHasALimit) {
  std::string groups;
  for (int i = 0; i < 100'000; ++i) groups += "\xfb\x06";
  EXPECT_EQ(json_record(groups).reason(), "BAD_PROTOBUF");
}

TEST(DecodeProtobuf, MutatedBytesAreAJobOrAReason) {
  v1::AnalysisJob job = minimal_job();
  job.mutable_limits()->set_tokens_max(1000);
  (*job.mutable_metadata())["team"] = "ops";
  const std::string whole = job.SerializeAsString();
  for (unsigned seed = 0; seed < 20000; ++seed) {
    std::mt19937 random(seed);
    TestRecord record;
    record.value = whole;
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits)
      record.value[random() % record.value.size()] = static_cast<char>(random());
    if (const std::string reason = record.reason(); reason.empty()) {
      ASSERT_FALSE(record.job().tenant.empty()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ba
