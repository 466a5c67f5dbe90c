// SPDX-License-Identifier: Apache-2.0
// The tables of errors, row by row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/mcp/call_result.hpp"

namespace ba::mcp {
namespace {

using Type = ToolErrorType;
using ::testing::HasSubstr;

TEST(CallFailures, SaysOfEachJsonRpcErrorWhatItIsAndWhetherTheToolMayHaveRun) {
  struct Row {
    std::int64_t from;
    Type type;
    const char* code;
    bool never_happened;
  };
  for (const Row& row : {Row{-32700, Type::InternalError, "MCP_PARSE_ERROR", true},
                         Row{-32600, Type::InternalError, "MCP_INVALID_REQUEST", true},
                         Row{-32601, Type::NotFound, "MCP_METHOD_NOT_FOUND", true},
                         Row{-32602, Type::InvalidParameters, "MCP_INVALID_PARAMS", true},
                         Row{-32603, Type::ExecutionError, "MCP_INTERNAL_ERROR", false},
                         Row{-32020, Type::DependencyError, "MCP_HEADER_MISMATCH", true},
                         Row{-32021, Type::DependencyError, "MCP_CAPABILITY_MISSING", true},
                         Row{-32022, Type::DependencyError, "MCP_VERSION_UNSUPPORTED", true},
                         Row{-32042, Type::DependencyError, "MCP_INPUT_NEEDED", true},
                         Row{-32000, Type::ExecutionError, "MCP_SERVER_ERROR", false},
                         Row{-32099, Type::ExecutionError, "MCP_SERVER_ERROR", false},
                         Row{0, Type::ExecutionError, "MCP_ERROR", false},
                         Row{INT64_MIN, Type::ExecutionError, "MCP_ERROR", false},
                         Row{INT64_MAX, Type::ExecutionError, "MCP_ERROR", false}}) {
    const RawToolResult result = failure_of(RpcError{row.from, "why", {}});
    ASSERT_TRUE(result.error);
    EXPECT_EQ(result.error->type, row.type) << row.from;
    EXPECT_EQ(result.error->code, row.code);
    EXPECT_EQ(result.never_happened, row.never_happened) << row.from;
    EXPECT_TRUE(result.error->message.ends_with(": why"));
    EXPECT_FALSE(result.outcome_unknown);
  }
}

TEST(CallFailures, BoundsTheServersWords) {
  const RawToolResult result = failure_of(RpcError{-32603, std::string(1 << 20, 'x'), {}});
  EXPECT_LT(result.error->message.size(), kRpcMessageBytesMax + 100);
}

TEST(CallFailures, SaysOfEachFailureOfTheTransportWhatItIs) {
  struct Row {
    ErrorCode from;
    Type type;
    const char* code;
  };
  for (const Row& row :
       {Row{ErrorCode::Timeout, Type::Timeout, "TIMEOUT"},
        Row{ErrorCode::Unavailable, Type::TransientError, "MCP_SERVER_UNAVAILABLE"},
        Row{ErrorCode::RateLimited, Type::RateLimit, "MCP_RATE_LIMITED"},
        Row{ErrorCode::Overloaded, Type::TransientError, "MCP_OVERLOADED"},
        Row{ErrorCode::LimitExceeded, Type::ExecutionError, "MCP_RESULT_TOO_LARGE"},
        Row{ErrorCode::PermissionDenied, Type::PermissionDenied, "MCP_FORBIDDEN"},
        Row{ErrorCode::Authentication, Type::DependencyError, "MCP_UNAUTHORIZED"},
        Row{ErrorCode::InvalidArgument, Type::InvalidParameters, "MCP_REQUEST_REFUSED"},
        Row{ErrorCode::Protocol, Type::DependencyError, "MCP_PROTOCOL_ERROR"},
        Row{ErrorCode::Internal, Type::InternalError, "MCP_FAILED"}}) {
    for (const bool maybe_done : {false, true}) {
      Error error;
      error.code = row.from;
      error.message = "http://10.0.0.1/secret";
      error.maybe_done = maybe_done;
      const RawToolResult result = failure_of(error);
      EXPECT_EQ(result.error->type, row.type);
      EXPECT_EQ(result.error->code, row.code);
      EXPECT_EQ(result.outcome_unknown, maybe_done);
      EXPECT_EQ(result.never_happened, !maybe_done);
      EXPECT_EQ(result.error->message.find("10.0.0.1"), std::string::npos);
    }
  }
}

TEST(CallFailures, AWaitThatTheServerAsksForIsKeptTo) {
  Error busy = error_of_status(429);
  busy.retry_after = Milliseconds(2500);
  const RawToolResult limited = failure_of(busy);
  EXPECT_EQ(limited.retry_after, Milliseconds(2500));
  EXPECT_THAT(limited.error->message, HasSubstr("a wait of 3 s"));
  Error forbidden = error_of_status(403);
  forbidden.retry_after = Milliseconds(2500);
  EXPECT_FALSE(failure_of(forbidden).retry_after);
}

TEST(CallFailures, ReadsHttpStatuses) {
  struct Row {
    int status;
    ErrorCode code;
    bool maybe_done;
  };
  for (const Row& row :
       {Row{401, ErrorCode::Authentication, false}, Row{407, ErrorCode::Authentication, false},
        Row{403, ErrorCode::PermissionDenied, false}, Row{408, ErrorCode::Timeout, true},
        Row{429, ErrorCode::RateLimited, false}, Row{400, ErrorCode::InvalidArgument, false},
        Row{404, ErrorCode::InvalidArgument, false}, Row{413, ErrorCode::InvalidArgument, false},
        Row{500, ErrorCode::Unavailable, true}, Row{502, ErrorCode::Unavailable, true},
        Row{503, ErrorCode::Overloaded, false}, Row{504, ErrorCode::Timeout, true},
        Row{302, ErrorCode::Protocol, true}}) {
    const Error error = error_of_status(row.status);
    EXPECT_EQ(error.code, row.code) << row.status;
    EXPECT_EQ(error.maybe_done, row.maybe_done) << row.status;
  }
}

}  // namespace
}  // namespace ba::mcp
