// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/versioned_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba {
namespace {

using testing::HasSubstr;

ToolResult sample() {
  ToolResult result;
  result.tool_call_id = ToolCallId("call_1");
  result.state = ToolCallState::Failed;
  result.observation = "Operation failed.\n\"é\"";
  result.output_level = OutputLevel::Brief;
  result.artifact_id = "artifact_0123456789abcdef0123456789abcdef";
  result.data_size_bytes = 17;
  result.data_hash = "ab";
  result.data_summary = "List with 3 items";
  result.note = "all";
  result.error = ToolError{ToolErrorType::Timeout, "TIMEOUT", "took too long"};
  result.retry_count = 2;
  result.duration = Milliseconds(1500);
  result.telemetry.last_error = ToolError{ToolErrorType::InternalError, "", "once more"};
  return result;
}

std::string error_of(std::string_view json) {
  const auto read = read_tool_result(json);
  return read ? "" : read.error().message;
}

TEST(VersionedToolResult, ComesBackAsItWas) {
  for (const ToolResult& result : {sample(), [] {
                                     ToolResult plain;
                                     plain.tool_call_id = ToolCallId("c");
                                     return plain;
                                   }()}) {
    const auto back = read_tool_result(write_tool_result(result));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->result, result);
    EXPECT_EQ(back->version, "2.1");
    EXPECT_EQ(back->artifact, "");
  }
}

TEST(VersionedToolResult, HasExactlyTheMembersOfAToolResult) {
  EXPECT_EQ(write_tool_result(sample()),
            R"({"schema_version":"2.1","tool_call_id":"call_1","observation":"Operation failed.)"
            R"(\n\"é\"","output_level":"brief",)"
            R"("artifact_id":"artifact_0123456789abcdef0123456789abcdef","data_size_bytes":17,)"
            R"("data_hash":"ab","data_summary":"List with 3 items","note":"all",)"
            R"("retry_count":2,)"
            R"("last_error":"once more","success":false,"error_code":"TIMEOUT",)"
            R"("error_type":"timeout","error_message":"took too long","duration_ms":1500})");
}

TEST(VersionedToolResult, ReadsTheFirstVersion) {
  const auto read = read_tool_result(
      R"({"schema_version":"1.0","request_id":"call_9","observation":"Found 3 items",)"
      R"("result":[1, 2.0, 3],"summary":"List with 3 items","output_level":"detailed",)"
      R"("success":true})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->version, "1.0");
  EXPECT_EQ(read->artifact, "[1, 2.0, 3]");
  EXPECT_EQ(read->result.tool_call_id.value, "call_9");
  EXPECT_EQ(read->result.observation, "Found 3 items");
  EXPECT_EQ(read->result.data_summary, "List with 3 items");
  EXPECT_EQ(read->result.output_level, OutputLevel::Full);
  EXPECT_EQ(read->result.state, ToolCallState::Succeeded);
}

TEST(VersionedToolResult, ReadsEveryVersionUpToNow) {
  for (const char* version : {"1.4", "1.5", "1.6", "1.9", "2.0", "2.1"}) {
    const std::string level = version == std::string("1.4") ? "" : R"("output_level":"standard",)";
    const auto read = read_tool_result(R"({"schema_version":")" + std::string(version) +
                                       R"(","tool_call_id":"c",)" + level + R"("success":true})");
    ASSERT_TRUE(read) << version << ": " << read.error().message;
    EXPECT_EQ(read->result.output_level, OutputLevel::Standard);
  }
}

TEST(VersionedToolResult, RefusesWhatItCantRead) {
  EXPECT_THAT(error_of(R"({"schema_version":"3.0","tool_call_id":"c"})"),
              HasSubstr("\"3.0\" is newer than this program reads (2.1)"));
  EXPECT_EQ(error_of(R"({"schema_version":"1.2","tool_call_id":"c"})"),
            "Cannot migrate from 1.2 to 2.1");
  EXPECT_THAT(error_of("{}"), HasSubstr("schema_version must not be missing"));
  EXPECT_THAT(error_of("[]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(error_of(R"({"schema_version":"2.1","success":true,"output_level":"full"})"),
              HasSubstr("tool_call_id must not be missing"));
  EXPECT_THAT(error_of(R"({"schema_version":"2.1","tool_call_id":"c","output_level":"raw"})"),
              HasSubstr("output_level must be brief, standard or full, not \"raw\""));
  EXPECT_THAT(error_of(R"({"schema_version":"2.1","tool_call_id":"c","output_level":"full"})"),
              HasSubstr("success must be true or false"));
}

}  // namespace
}  // namespace ba
