// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/decode_job.hpp"

#include <gtest/gtest.h>

#include "pipeline/text/contract/encode_job.hpp"
#include "tests/pipeline/text/contract/record_builder.hpp"

namespace ba {
namespace {

using test::json_job;
using test::json_record;
using test::minimal_job;
using test::record_of;
using test::TestRecord;
using namespace std::string_literals;

constexpr const char* kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(DecodeJob, FillsInDefaults) {
  const Job job = record_of(minimal_job()).job();
  EXPECT_EQ(job.tenant.value, "acme");
  EXPECT_EQ(job.job_id.value, "j-1");
  EXPECT_EQ(job.conversation_id.value, "job:j-1");
  EXPECT_EQ(job.agent, "default");
  EXPECT_EQ(job.lane, Lane::Normal);
  EXPECT_EQ(job.schema_version, 1);
  EXPECT_EQ(job.created_at, WallTime(Milliseconds(1'700'000'000'123)));
  EXPECT_EQ(job.messages, std::vector<std::string>{"How many flights?"});
}

TEST(DecodeJob, ASchemaOfAnswersIsKeptAsItIs) {
  v1::AnalysisJob proto = minimal_job();
  proto.set_answer_schema("{ \"minimum\": 1.0 }");
  const Job job = record_of(proto).job();
  EXPECT_EQ(job.answer_schema, R"({"minimum":1.0})");
  EXPECT_EQ(decode_job_payload(encode_job(job)).value(), job);
  EXPECT_EQ(json_record(job_to_json(job)).job(), job);
  proto.clear_answer_schema();
  EXPECT_EQ(decode_job_payload(encode_job(record_of(proto).job())).value().answer_schema, "")
      << "as in records of before there were any";
}

TEST(DecodeJob, ARecordWithoutTimestampIsOfNoTime) {
  TestRecord record = record_of(minimal_job());
  record.source.timestamp_ms = -1;
  EXPECT_EQ(record.job().created_at, WallTime{});
}

TEST(DecodeJob, ATimestampThatNoCalendarHasIsTheLastOne) {
  TestRecord record = record_of(minimal_job());
  for (const std::int64_t timestamp_ms : {std::int64_t{253402300800000}, INT64_MAX}) {
    record.source.timestamp_ms = timestamp_ms;
    EXPECT_EQ(to_rfc3339(record.job().created_at), "9999-12-31T23:59:59.999000Z");
  }
}

TEST(DecodeJob, ReadsEveryEncodingByHeaderOrByLook) {
  const std::string protobuf = minimal_job().SerializeAsString();
  const std::string json = json_job("");
  const Job expected = record_of(minimal_job()).job();
  const std::string framings[] = {"", "\x00\x00\x00\x00\x07\x00"s, "\x00\x00\x00\x00\x07\x02\x00"s,
                                  "\x01"s + std::string(16, 'g') + "\x00"s};
  for (const std::string& framing : framings) {
    for (const char* type : {"", "application/protobuf", "Application/X-Protobuf; x=y"}) {
      TestRecord record;
      record.value = framing + protobuf;
      if (*type != '\0') record.headers = {{"content-type", type}};
      EXPECT_EQ(record.job(), expected) << type;
    }
  }
  for (const std::string& framing :
       {""s, "\x00\x00\x00\x00\x07"s, "\x01"s + std::string(16, 'g')}) {
    for (const char* type : {"", "application/json", "application/json; charset=utf-8"}) {
      TestRecord record;
      record.value = framing + " \n" + json;
      if (*type != '\0') record.headers = {{"content-type", type}};
      EXPECT_EQ(record.job(), expected) << type;
    }
  }
}

TEST(DecodeJob, AByteOrderMarkBeforeJsonIsSkipped) {
  for (const char* type : {"", "application/json"}) {
    TestRecord record;
    record.value = "\xef\xbb\xbf" + json_job("");
    if (*type != '\0') record.headers = {{"content-type", type}};
    EXPECT_EQ(record.job(), record_of(minimal_job()).job()) << type;
  }
}

TEST(DecodeJob, ReadsCloudEventsHeaders) {
  TestRecord record = record_of(minimal_job());
  record.headers = {{"ce_specversion", "1.0"}, {"ce_id", "e-1"},         {"ce_source", "/billing"},
                    {"ce_type", "job"},        {"correlationid", "c-9"}, {"traceparent", kParent},
                    {"tracestate", "v=1"}};
  const Job job = record.job();
  EXPECT_EQ(job.source_event_id, "e-1");
  EXPECT_EQ(job.correlation_id, "c-9");
  EXPECT_EQ(job.traceparent, kParent);
  EXPECT_EQ(job.tracestate, "v=1");
}

TEST(DecodeJob, ReadsStructuredCloudEvents) {
  TestRecord record = json_record(
      R"({"specversion":"1.0","id":"e-1","source":"/s","type":"t","correlationid":"c-9","data":)" +
      json_job("") + "}");
  record.headers = {{"content-type", "application/cloudevents+json; charset=utf-8"}};
  EXPECT_EQ(record.job().source_event_id, "e-1");
  EXPECT_EQ(record.job().correlation_id, "c-9");
  record.value = R"({"specversion":"1.0","id":"e-1","data_base64":"EgRhY21lGgNqLTEyAkhp"})";
  EXPECT_EQ(record.job().messages, std::vector<std::string>{"Hi"});
}

TEST(DecodeJob, RefusesEventsThatAreNoJobEvents) {
  TestRecord record;
  record.headers = {{"content-type", "application/cloudevents+json"}};
  record.value = R"({"specversion":"1.0","id":"e-1"})";
  EXPECT_EQ(record.reason(), "BAD_EVENT data");
  record.value = R"({"specversion":"2.0","id":"e-1","data":{}})";
  EXPECT_EQ(record.reason(), "UNKNOWN_VERSION specversion");
  record.value = R"({"specversion":"1.0","data":{"messages":[1]}})";
  EXPECT_EQ(record.reason(), "WRONG_TYPE data.messages[0]");
  record.value = R"({"specversion":"1.0","data_base64":"CgH/"})";
  EXPECT_EQ(record.reason(), "BAD_PROTOBUF data_base64.schema_version");
  record.headers = {{"content-type", "application/cloudevents-batch+json"}};
  EXPECT_EQ(record.reason(), "BAD_CONTENT_TYPE content-type");
  record = record_of(minimal_job());
  record.headers = {{"ce_specversion", "2.0"}};
  EXPECT_EQ(record.reason(), "UNKNOWN_VERSION ce_specversion");
}

TEST(DecodeJob, AnInvalidTraceContextIsIgnored) {
  TestRecord record = record_of(minimal_job());
  record.headers = {{"traceparent", "00-xyz"}, {"tracestate", "v=1"}};
  EXPECT_EQ(record.job().traceparent, "");
  EXPECT_EQ(record.job().tracestate, "");
}

TEST(DecodeJob, RefusesWhatItCannotRead) {
  EXPECT_EQ(json_record("").reason(), "EMPTY_RECORD");
  EXPECT_EQ(json_record("hello").reason(), "UNKNOWN_FORMAT");
  EXPECT_EQ(json_record("[1]\n").reason(), "UNKNOWN_FORMAT");
  EXPECT_EQ(json_record("\x00\x00\x00\x00\x07\x0a\x05"s).reason(), "BAD_FRAMING");
  TestRecord record = json_record("{}");
  record.headers = {{"content-type", "text/csv"}};
  EXPECT_EQ(record.reason(), "BAD_CONTENT_TYPE content-type");
  record.headers = {{"content-type", "application/json"}};
  record.value = "[1]";
  EXPECT_EQ(record.reason(), "WRONG_TYPE");
  EXPECT_EQ(json_record("{}").reason(), "MISSING_FIELD tenant");
}

TEST(DecodeJob, ANewerMajorVersionIsRefused) {
  EXPECT_EQ(json_record(json_job(R"("schema_version":1)")).reason(), "");
  EXPECT_EQ(json_record(json_job(R"("schema_version":2)")).reason(),
            "UNKNOWN_VERSION schema_version");
  v1::AnalysisJob job = minimal_job();
  job.set_schema_version(2);
  EXPECT_EQ(record_of(job).reason(), "UNKNOWN_VERSION schema_version");
}

TEST(DecodeJob, ThePayloadOfTheLedgerComesBackAsTheSameJob) {
  TestRecord record = json_record(json_job(
      R"("user_id":"u","skills":["s"],"model":"m","allowed_tools":["t"],"lane":"batch",
         "limits":{"steps_per_round_max":3,"tokens_max":"4","cost_micro_usd_max":5,
         "deadline_ms":6},"metadata":{"b":"2","a":"1"},"conversation_id":"c",
         "created_at":"2026-03-01T12:00:00.000001Z")"));
  record.headers = {{"ce_id", "e-1"}, {"correlationid", "c-9"}, {"traceparent", kParent}};
  const Job job = record.job();
  const auto back = decode_job_payload(encode_job(job));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, job);
  EXPECT_EQ(json_record(job_to_json(job)).job(), job);
  EXPECT_FALSE(decode_job_payload("\xff\xff"));
}

}  // namespace
}  // namespace ba
