// SPDX-License-Identifier: Apache-2.0
// The table of libcurl's codes, row by row.
#include "worker/http/curl_codes.hpp"

#include <curl/curl.h>
#include <gtest/gtest.h>

namespace ba::http {
namespace {

TEST(CurlCodes, MapsEachRow) {
  struct Row {
    CURLcode code;
    ErrorCode means;
    Retry retry;
  };
  const std::vector<Row> rows = {
      {CURLE_UNSUPPORTED_PROTOCOL, ErrorCode::Protocol, Retry::Never},
      {CURLE_URL_MALFORMAT, ErrorCode::InvalidArgument, Retry::Never},
      {CURLE_COULDNT_RESOLVE_PROXY, ErrorCode::Unavailable, Retry::Later},
      {CURLE_COULDNT_RESOLVE_HOST, ErrorCode::Unavailable, Retry::Later},
      {CURLE_COULDNT_CONNECT, ErrorCode::Unavailable, Retry::Later},
      {CURLE_WEIRD_SERVER_REPLY, ErrorCode::Protocol, Retry::Later},
      {CURLE_PARTIAL_FILE, ErrorCode::Unavailable, Retry::Later},
      {CURLE_WRITE_ERROR, ErrorCode::Cancelled, Retry::Never},
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
      {CURLE_HTTP3, ErrorCode::Unavailable, Retry::Later}};  // not in the table
  for (const Row& row : rows) {
    const Error error = error_of_curl(row.code, "http://u:hunter2@h", "");
    EXPECT_EQ(error.code, row.means) << row.code;
    EXPECT_EQ(error.retry, row.retry) << row.code;
    EXPECT_EQ(error.detail, "curl " + std::to_string(row.code));
    EXPECT_FALSE(error.message.empty());
    EXPECT_EQ(error.message.find("hunter2"), std::string::npos);
  }
}

// As libcurl 7.88 with OpenSSL 3 writes them.
TEST(CurlCodes, ATextSaysWhatTheCodeLeavesOpen) {
  struct Row {
    CURLcode code;
    const char* text;
    ErrorCode means;
    Retry retry;
    const char* words;
  };
  const std::vector<Row> rows = {
      {CURLE_PEER_FAILED_VERIFICATION, "SSL certificate problem: certificate has expired",
       ErrorCode::Authentication, Retry::Never, "has expired: renew it"},
      {CURLE_PEER_FAILED_VERIFICATION, "SSL certificate problem: certificate is not yet valid",
       ErrorCode::Authentication, Retry::Never, "set the clocks right"},
      {CURLE_PEER_FAILED_VERIFICATION,
       "SSL certificate problem: unable to get local issuer certificate", ErrorCode::Authentication,
       Retry::Never, "isn't in /ca.pem: set ca_file"},
      {CURLE_PEER_FAILED_VERIFICATION, "SSL certificate problem: self-signed certificate",
       ErrorCode::Authentication, Retry::Never, "isn't in /ca.pem: set ca_file"},
      {CURLE_PEER_FAILED_VERIFICATION,
       "SSL: no alternative certificate subject name matches target host name 'h'",
       ErrorCode::Authentication, Retry::Never, "isn't for the host name"},
      {CURLE_SSL_CACERT_BADFILE, "error setting certificate verify locations",
       ErrorCode::InvalidArgument, Retry::Never, "/ca.pem is missing"},
      {CURLE_SSL_CONNECT_ERROR, "error:0A00010B:SSL routines::wrong version number",
       ErrorCode::Protocol, Retry::Never, "doesn't speak TLS"},
      {CURLE_SSL_CONNECT_ERROR, "OpenSSL SSL_connect: Connection reset by peer",
       ErrorCode::Unavailable, Retry::Later, ""},
      {CURLE_RECV_ERROR, "error:0A00045C:SSL routines::tlsv13 alert certificate required",
       ErrorCode::Authentication, Retry::Never, "wants a client's certificate"},
      {CURLE_RECV_ERROR, "CONNECT tunnel failed, response 407", ErrorCode::PermissionDenied,
       Retry::Never, "set proxy_user and proxy_password"},
      {CURLE_RECV_ERROR, "CONNECT tunnel failed, response 403", ErrorCode::PermissionDenied,
       Retry::Never, "refuses to connect"},
      {CURLE_RECV_ERROR, "CONNECT tunnel failed, response 502", ErrorCode::Unavailable,
       Retry::Later, "can't connect"}};
  for (const Row& row : rows) {
    const Error error = error_of_curl(row.code, row.text, "/ca.pem");
    EXPECT_EQ(error.code, row.means) << row.text;
    EXPECT_EQ(error.retry, row.retry) << row.text;
    EXPECT_NE(error.message.find(row.words), std::string::npos) << error.message;
  }
  EXPECT_NE(error_of_curl(CURLE_PEER_FAILED_VERIFICATION, "self-signed certificate", "")
                .message.find("the system's list"),
            std::string::npos);
}

}  // namespace
}  // namespace ba::http
