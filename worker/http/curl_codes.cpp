// SPDX-License-Identifier: Apache-2.0
#include "worker/http/curl_codes.hpp"

#include <curl/curl.h>

#include <array>

namespace ba::http {
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

/// What a message of libcurl (with OpenSSL) says that its code doesn't. The first that fits counts;
/// {ca} stands for the file of authorities.
struct TextRow {
  CURLcode code;
  std::string_view fragment;
  ErrorCode means;
  Retry retry;
  std::string_view words;
};

constexpr std::string_view kNoTls =
    "what answers there doesn't speak TLS: write http://, or correct the port";
constexpr std::string_view kWantsClient =
    "the server wants a client's certificate, and this program has none for it: let the server "
    "take the key instead, or put a proxy between";
constexpr std::string_view kNoCommonTls =
    "the server and this program can't agree on TLS: let the server take TLS 1.2 or 1.3";
constexpr std::string_view kUnknownAuthority =
    "the server's certificate is signed by an authority that isn't in {ca}: set ca_file to a file "
    "with that authority's certificate";
constexpr std::string_view kOtherHost =
    "the server's certificate isn't for the host name of the URL: use a name that stands in it, or "
    "give the server a certificate for this one";

constexpr std::array kTexts{
    TextRow{CURLE_PEER_FAILED_VERIFICATION, "has expired", ErrorCode::Authentication, Retry::Never,
            "the server's certificate, or its authority's, has expired: renew it there"},
    TextRow{CURLE_PEER_FAILED_VERIFICATION, "not yet valid", ErrorCode::Authentication,
            Retry::Never,
            "the server's certificate isn't valid yet: set the clocks right, or renew it there"},
    TextRow{CURLE_PEER_FAILED_VERIFICATION, "issuer", ErrorCode::Authentication, Retry::Never,
            kUnknownAuthority},
    TextRow{CURLE_PEER_FAILED_VERIFICATION, "self-signed", ErrorCode::Authentication, Retry::Never,
            kUnknownAuthority},
    TextRow{CURLE_PEER_FAILED_VERIFICATION, "self signed", ErrorCode::Authentication, Retry::Never,
            kUnknownAuthority},
    TextRow{CURLE_PEER_FAILED_VERIFICATION, "target host name", ErrorCode::Authentication,
            Retry::Never, kOtherHost},
    TextRow{CURLE_PEER_FAILED_VERIFICATION, "", ErrorCode::Authentication, Retry::Never,
            "the server's certificate can't be verified with {ca}"},
    TextRow{CURLE_SSL_CACERT_BADFILE, "", ErrorCode::InvalidArgument, Retry::Never,
            "{ca} is missing, can't be read or holds no certificate: correct ca_file, or put a PEM "
            "file there"},
    TextRow{CURLE_SSL_CONNECT_ERROR, "wrong version number", ErrorCode::Protocol, Retry::Never,
            kNoTls},
    TextRow{CURLE_SSL_CONNECT_ERROR, "http request", ErrorCode::Protocol, Retry::Never, kNoTls},
    TextRow{CURLE_SSL_CONNECT_ERROR, "packet length too long", ErrorCode::Protocol, Retry::Never,
            kNoTls},
    TextRow{CURLE_SSL_CONNECT_ERROR, "record layer failure", ErrorCode::Protocol, Retry::Never,
            kNoTls},
    TextRow{CURLE_SSL_CONNECT_ERROR, "alert certificate required", ErrorCode::Authentication,
            Retry::Never, kWantsClient},
    TextRow{CURLE_SSL_CONNECT_ERROR, "alert bad certificate", ErrorCode::Authentication,
            Retry::Never, kWantsClient},
    TextRow{CURLE_RECV_ERROR, "alert certificate required", ErrorCode::Authentication, Retry::Never,
            kWantsClient},
    TextRow{CURLE_RECV_ERROR, "alert bad certificate", ErrorCode::Authentication, Retry::Never,
            kWantsClient},
    TextRow{CURLE_SEND_ERROR, "alert certificate required", ErrorCode::Authentication, Retry::Never,
            kWantsClient},
    TextRow{CURLE_SSL_CONNECT_ERROR, "protocol version", ErrorCode::Protocol, Retry::Never,
            kNoCommonTls},
    TextRow{CURLE_SSL_CONNECT_ERROR, "unsupported protocol", ErrorCode::Protocol, Retry::Never,
            kNoCommonTls},
    TextRow{CURLE_SSL_CONNECT_ERROR, "handshake failure", ErrorCode::Protocol, Retry::Never,
            kNoCommonTls},
    TextRow{CURLE_RECV_ERROR, "CONNECT tunnel failed, response 407", ErrorCode::PermissionDenied,
            Retry::Never,
            "the proxy refuses the login: set proxy_user and proxy_password to what it knows"},
    TextRow{CURLE_RECV_ERROR, "CONNECT tunnel failed, response 4", ErrorCode::PermissionDenied,
            Retry::Never, "the proxy refuses to connect to the server: let it, or correct proxy"},
    TextRow{CURLE_RECV_ERROR, "CONNECT tunnel failed", ErrorCode::Unavailable, Retry::Later,
            "the proxy can't connect to the server"}};

std::string filled(std::string_view words, const std::string& ca_file) {
  constexpr std::string_view kPlace = "{ca}";
  std::string out(words);
  if (const std::size_t at = out.find(kPlace); at != out.npos)
    out.replace(at, kPlace.size(), ca_file.empty() ? "the system's list" : ca_file);
  return out;
}

}  // namespace

Error error_of_curl(int code, std::string_view message, const std::string& ca_file) {
  Error error;
  error.code = ErrorCode::Unavailable;
  error.retry = Retry::Later;
  for (const CodeRow& row : kCodes) {
    if (row.code != code) continue;
    error.code = row.means;
    error.retry = row.retry;
  }
  error.detail = "curl " + std::to_string(code);
  error.message = curl_easy_strerror(static_cast<CURLcode>(code));
  for (const TextRow& row : kTexts) {
    if (row.code != code || message.find(row.fragment) == message.npos) continue;
    error.code = row.means;
    error.retry = row.retry;
    error.message = filled(row.words, ca_file);
    break;
  }
  return error;
}

}  // namespace ba::http
