// SPDX-License-Identifier: Apache-2.0
#include "pipeline/contract/encode_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ba/v1/analysis_result.pb.h"
#include "tests/pipeline/contract/sample_values.hpp"

namespace ba {
namespace {

using test::sample_result;
using testing::HasSubstr;

TEST(EncodeResult, ComesBackInBothEncodings) {
  for (const Encoding encoding : {Encoding::Protobuf, Encoding::Json}) {
    const std::string bytes = encode_result(sample_result(), encoding);
    for (const std::string_view type : {media_type(encoding), std::string_view()}) {
      const auto back = decode_result(bytes, type);
      ASSERT_TRUE(back) << back.error().message;
      EXPECT_EQ(*back, sample_result());
    }
    EXPECT_EQ(encode_result(sample_result(), encoding), bytes);
  }
}

TEST(EncodeResult, JsonHasTheNamesOfTheSchema) {
  const std::string json = encode_result(sample_result(), Encoding::Json);
  EXPECT_THAT(json, HasSubstr(R"("job_id":"j-1")"));
  EXPECT_THAT(json, HasSubstr(R"("outcome":"step_limit")"));
  EXPECT_THAT(json, HasSubstr(R"("cost_micro_usd":"12345")"));
  EXPECT_THAT(json, HasSubstr(R"("created_at":"2026-03-01T12:00:00.000001Z")"));
}

TEST(EncodeResult, WhatCannotBeReadSaysWhy) {
  EXPECT_THAT(decode_result("{", "").error().message, HasSubstr("BAD_JSON"));
  EXPECT_THAT(decode_result(R"({"outcome":"splendid"})", "").error().message,
              HasSubstr("unknown outcome \"splendid\""));
  const auto newer = decode_result(R"({"schema_version":2})", "");
  EXPECT_EQ(newer.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(newer.error().message, HasSubstr("schema_version 2"));
}

TEST(EncodeResult, ATimeOutsideTheFormatsYearsIsRefusedByItsField) {
  v1::AnalysisResult proto;
  proto.set_outcome("completed");
  proto.mutable_started_at()->set_seconds(253402300800);  // 10000-01-01
  const auto read = decode_result(proto.SerializeAsString(), media_type(Encoding::Protobuf));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::Corrupt);
  EXPECT_THAT(read.error().message, HasSubstr("started_at"));
}

}  // namespace
}  // namespace ba
