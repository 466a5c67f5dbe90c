// SPDX-License-Identifier: Apache-2.0
// failure_of() and error_of_status() of call_result.hpp.

#include <array>

#include "pipeline/core/tool/retry_policy.hpp"
#include "worker/mcp/call_result.hpp"

namespace ba::mcp {
namespace {

using Type = ToolErrorType;

struct RpcRow {
  std::int64_t first;  ///< of a range of codes
  std::int64_t last;
  Type type;
  const char* code;
  bool refused;  ///< the call never began
  const char* words;
};

constexpr std::array<RpcRow, 11> kRpcRows{{
    {-32700, -32700, Type::InternalError, "MCP_PARSE_ERROR", true,
     "the server can't read the call"},
    {-32600, -32600, Type::InternalError, "MCP_INVALID_REQUEST", true,
     "the server refuses the form of the call"},
    {-32601, -32601, Type::NotFound, "MCP_METHOD_NOT_FOUND", true, "the server has no such method"},
    {-32602, -32602, Type::InvalidParameters, "MCP_INVALID_PARAMS", true,
     "the server refuses the parameters"},
    {-32603, -32603, Type::ExecutionError, "MCP_INTERNAL_ERROR", false, "the server failed inside"},
    {-32020, -32020, Type::DependencyError, "MCP_HEADER_MISMATCH", true,
     "the server's headers and body disagree"},
    {-32021, -32021, Type::DependencyError, "MCP_CAPABILITY_MISSING", true,
     "the server needs what a worker doesn't offer"},
    {-32022, -32022, Type::DependencyError, "MCP_VERSION_UNSUPPORTED", true,
     "the server speaks another revision"},
    {-32042, -32042, Type::DependencyError, "MCP_INPUT_NEEDED", true,
     "the server wants a person to open a page"},
    {-32099, -32000, Type::ExecutionError, "MCP_SERVER_ERROR", false, "the server failed"},
    {INT64_MIN, INT64_MAX, Type::ExecutionError, "MCP_ERROR", false, "the call failed"},
}};

struct TransportRow {
  ErrorCode from;
  Type type;
  const char* code;
  const char* words;
};

constexpr std::array<TransportRow, 9> kTransportRows{{
    {ErrorCode::Timeout, Type::Timeout, "TIMEOUT", "the server gave no answer in time"},
    {ErrorCode::Unavailable, Type::TransientError, "MCP_SERVER_UNAVAILABLE",
     "the server can't be reached"},
    {ErrorCode::RateLimited, Type::RateLimit, "MCP_RATE_LIMITED", "the server asks to slow down"},
    {ErrorCode::Overloaded, Type::TransientError, "MCP_OVERLOADED", "the server is overloaded"},
    {ErrorCode::LimitExceeded, Type::ExecutionError, "MCP_RESULT_TOO_LARGE",
     "the server's answer is larger than is allowed; ask for less"},
    {ErrorCode::PermissionDenied, Type::PermissionDenied, "MCP_FORBIDDEN",
     "the server doesn't allow this"},
    {ErrorCode::Authentication, Type::DependencyError, "MCP_UNAUTHORIZED",
     "the server refuses the worker's credentials"},
    {ErrorCode::InvalidArgument, Type::InvalidParameters, "MCP_REQUEST_REFUSED",
     "the server refuses the request as it is"},
    {ErrorCode::Protocol, Type::DependencyError, "MCP_PROTOCOL_ERROR",
     "the server answered what can't be understood"},
}};

Error made(ErrorCode code, bool maybe_done, int status) {
  Error error;
  error.code = code;
  error.maybe_done = maybe_done;
  error.retry = code == ErrorCode::Unavailable || code == ErrorCode::RateLimited ||
                        code == ErrorCode::Overloaded
                    ? Retry::Later
                    : Retry::Never;
  error.message = "the server answered with HTTP status " + std::to_string(status);
  error.detail = std::to_string(status);
  return error;
}

}  // namespace

RawToolResult failure_of(const RpcError& error) {
  const RpcRow* row = kRpcRows.data();
  while (error.code < row->first || error.code > row->last) ++row;
  std::string message = row->words;
  if (!error.message.empty()) message += ": " + plain_text(error.message, kRpcMessageBytesMax);
  RawToolResult out;
  out.error = ToolError{row->type, row->code, std::move(message)};
  out.never_happened = row->refused;
  return out;
}

RawToolResult failure_of(const Error& error) {
  RawToolResult out;
  ToolError failed{Type::InternalError, "MCP_FAILED", "the call failed"};
  for (const TransportRow& row : kTransportRows)
    if (row.from == error.code) failed = {row.type, row.code, row.words};
  out.error = std::move(failed);
  out.outcome_unknown = error.maybe_done;
  out.never_happened = !error.maybe_done;
  out.retry_useless = error.code == ErrorCode::LimitExceeded;
  add_retry_after(out, error.retry_after);
  return out;
}

Error error_of_status(int status) {
  switch (status) {
    case 401:
    case 407:
      return made(ErrorCode::Authentication, false, status);
    case 403:
      return made(ErrorCode::PermissionDenied, false, status);
    case 408:
    case 504:
      return made(ErrorCode::Timeout, true, status);
    case 429:
      return made(ErrorCode::RateLimited, false, status);
    case 503:
      return made(ErrorCode::Overloaded, false, status);
    default:
      if (status >= 500) return made(ErrorCode::Unavailable, true, status);
      if (status >= 400) return made(ErrorCode::InvalidArgument, false, status);
      return made(ErrorCode::Protocol, true, status);
  }
}

}  // namespace ba::mcp
