// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/curl_codes.hpp"

#include <curl/curl.h>

#include <array>

namespace ba {
namespace {

struct CodeRow {
  CURLcode code;
  ErrorCode means;
  Retry retry;
};

constexpr std::array<CodeRow, 22> kCodes{{
    {CURLE_UNSUPPORTED_PROTOCOL, ErrorCode::Protocol, Retry::Never},
    {CURLE_URL_MALFORMAT, ErrorCode::InvalidArgument, Retry::Never},
    {CURLE_COULDNT_RESOLVE_PROXY, ErrorCode::Unavailable, Retry::Later},
    {CURLE_COULDNT_RESOLVE_HOST, ErrorCode::Unavailable, Retry::Later},
    {CURLE_COULDNT_CONNECT, ErrorCode::Unavailable, Retry::Later},
    {CURLE_WEIRD_SERVER_REPLY, ErrorCode::Protocol, Retry::Later},
    {CURLE_PARTIAL_FILE, ErrorCode::Unavailable, Retry::Later},
    {CURLE_WRITE_ERROR, ErrorCode::Cancelled, Retry::Never},
    // So libcurl before 8.6 calls a header line longer than 100 kB, too.
    {CURLE_OUT_OF_MEMORY, ErrorCode::LimitExceeded, Retry::Never},
    {CURLE_OPERATION_TIMEDOUT, ErrorCode::Timeout, Retry::Later},
    {CURLE_SSL_CONNECT_ERROR, ErrorCode::Unavailable, Retry::Later},
    {CURLE_ABORTED_BY_CALLBACK, ErrorCode::Unavailable, Retry::Later},
    {CURLE_TOO_MANY_REDIRECTS, ErrorCode::Protocol, Retry::Never},
    {CURLE_GOT_NOTHING, ErrorCode::Unavailable, Retry::Later},
    {CURLE_SEND_ERROR, ErrorCode::Unavailable, Retry::Later},
    {CURLE_RECV_ERROR, ErrorCode::Unavailable, Retry::Later},
    {CURLE_SSL_CERTPROBLEM, ErrorCode::Authentication, Retry::Never},
    {CURLE_PEER_FAILED_VERIFICATION, ErrorCode::Authentication, Retry::Never},
    {CURLE_BAD_CONTENT_ENCODING, ErrorCode::Protocol, Retry::Later},
    {CURLE_FILESIZE_EXCEEDED, ErrorCode::LimitExceeded, Retry::Never},
    {CURLE_SSL_CACERT_BADFILE, ErrorCode::InvalidArgument, Retry::Never},
    {CURLE_PROXY, ErrorCode::Unavailable, Retry::Later},
}};

}  // namespace

Error error_of_curl(int code, std::string_view message) {
  Error error;
  error.code = ErrorCode::Unavailable;
  error.retry = Retry::Later;
  for (const CodeRow& row : kCodes) {
    if (row.code != code) continue;
    error.code = row.means;
    error.retry = row.retry;
  }
  error.detail = "curl " + std::to_string(code);
  error.message = message.empty() ? curl_easy_strerror(static_cast<CURLcode>(code)) : message;
  return error;
}

}  // namespace ba
