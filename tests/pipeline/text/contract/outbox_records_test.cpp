// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ba/v1/metrics_report.pb.h"
#include "pipeline/text/contract/encode_result.hpp"
#include "pipeline/text/contract/make_outbox_records.hpp"
#include "pipeline/text/contract/proto_value.hpp"
#include "pipeline/text/contract/record.hpp"
#include "tests/pipeline/text/contract/sample_values.hpp"

namespace ba {
namespace {

using test::sample_job;
using test::sample_report;
using test::sample_result;
using testing::HasSubstr;
using testing::StartsWith;

Publication publication(Encoding encoding) {
  Publication publication;
  publication.encoding = encoding;
  publication.outbox_shards = 8;
  return publication;
}

TEST(OutboxRecords, AreTheResultAndTheMetricsReport) {
  for (const Encoding encoding : {Encoding::Protobuf, Encoding::Json}) {
    const auto records =
        make_outbox_records(sample_job(), sample_result(), sample_report(), publication(encoding));
    ASSERT_EQ(records.outbox.size(), 2U);
    EXPECT_EQ(records.outbox[0].topic, "ba.results");
    EXPECT_EQ(records.outbox[0].value, records.result_bytes);
    EXPECT_EQ(*decode_result(records.result_bytes, media_type(encoding)), sample_result());
    EXPECT_EQ(records.outbox[1].topic, "ba.metrics");
    EXPECT_NE(records.outbox[0].result_id, records.outbox[1].result_id);
    EXPECT_EQ(records.outbox[0].shard, records.outbox[1].shard);
    for (const OutboxRecord& record : records.outbox) {
      EXPECT_EQ(record.key, "acme/j-1");
      EXPECT_EQ(header(record.headers, "ce_id"), record.result_id.value);
      EXPECT_EQ(header(record.headers, "content-type"), media_type(encoding));
    }
  }
}

TEST(OutboxRecords, HeadersSayWhatCausedThem) {
  const auto records = make_outbox_records(sample_job(), sample_result(), sample_report(),
                                           publication(Encoding::Json));
  const Headers& headers = records.outbox[0].headers;
  EXPECT_EQ(header(headers, "ce_specversion"), "1.0");
  EXPECT_EQ(header(headers, "ce_type"), "ba.analysis.result.v1");
  EXPECT_EQ(header(headers, "ce_source"), "/ba-agent");
  EXPECT_EQ(header(headers, "ce_time"), "2026-03-01T12:00:04.341001Z");
  EXPECT_EQ(header(headers, "ce_correlationid"), "corr-1");
  EXPECT_EQ(header(headers, "ce_causationid"), "e-1");
  EXPECT_EQ(header(headers, "traceparent"), sample_job().traceparent);
  EXPECT_EQ(header(headers, "tracestate"), std::nullopt);
}

TEST(OutboxRecords, TheSameJobMakesTheSameBytes) {
  const auto once = make_outbox_records(sample_job(), sample_result(), sample_report(), {});
  EXPECT_EQ(make_outbox_records(sample_job(), sample_result(), sample_report(), {}), once);
}

TEST(OutboxRecords, TheMetricsReportIsDataAndText) {
  const auto records = make_outbox_records(sample_job(), sample_result(), sample_report(),
                                           publication(Encoding::Protobuf));
  v1::MetricsReport report;
  ASSERT_EQ(read_proto_value(records.outbox[1].value, "", report), std::nullopt);
  EXPECT_EQ(report.total_tokens(), 1734);
  EXPECT_EQ(report.tools(0).tool_name(), "query_database");
  EXPECT_THAT(report.report(), StartsWith("Conversation Metrics Report\n"));
  EXPECT_THAT(records.metrics_json, HasSubstr(R"("total_input_tokens":"1234")"));
}

}  // namespace
}  // namespace ba
