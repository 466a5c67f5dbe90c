// SPDX-License-Identifier: Apache-2.0
#include "worker/search/search_failures.hpp"

#include <array>
#include <utility>

#include "pipeline/tool/retry_policy.hpp"

namespace ba {
namespace {

using Type = ToolErrorType;

struct EndRow {
  ErrorCode from;
  Type type;
  const char* code;
  const char* words;
};

constexpr const char* kUnreachable =
    "the search service can't be reached, or broke off its answer. Try again later; if it stays "
    "so, an operator must check that it runs at tools.web_search.base_url";

constexpr std::array<EndRow, 6> kEnds{{
    {ErrorCode::Unavailable, Type::TransientError, "SEARCH_UNREACHABLE", kUnreachable},
    // Of the connection: the time of the whole call is kept elsewhere.
    {ErrorCode::Timeout, Type::TransientError, "SEARCH_UNREACHABLE", kUnreachable},
    {ErrorCode::Authentication, Type::DependencyError, "SEARCH_CERTIFICATE_REFUSED",
     "the search service's certificate can't be verified. An operator must set "
     "tools.web_search.ca_file, or mend the certificate"},
    {ErrorCode::Protocol, Type::DependencyError, "SEARCH_NOT_HTTP",
     "what answers for the search service doesn't speak HTTP as it should. An operator must check "
     "tools.web_search.base_url"},
    {ErrorCode::InvalidArgument, Type::DependencyError, "SEARCH_MISCONFIGURED",
     "the search service can't be asked as configured. An operator must check "
     "tools.web_search.base_url and ca_file"},
    {ErrorCode::Internal, Type::InternalError, "SEARCH_FAILED", "the search failed"},
}};

struct StatusRow {
  int first;  ///< of a range
  int last;
  Type type;
  const char* code;
  const char* words;
};

constexpr const char* kWrongAddress =
    "an operator must check base_url, path and method in tools.web_search";
constexpr const char* kRefused =
    "it refuses this search: change query, language or time_range. If it refuses every search, an "
    "operator must check the parameters in tools.web_search";
constexpr const char* kKey =
    "an operator must mend the credentials (api_key or headers in tools.web_search), or let this "
    "client in; of SearxNG, search.formats must have json";

constexpr std::array<StatusRow, 14> kStatuses{{
    {300, 399, Type::DependencyError, "SEARCH_REDIRECTED",
     "redirects aren't followed: an operator must set tools.web_search.base_url to where it is"},
    {400, 400, Type::InvalidParameters, "SEARCH_REFUSED", kRefused},
    {401, 401, Type::DependencyError, "SEARCH_UNAUTHORIZED", kKey},
    {402, 402, Type::DependencyError, "SEARCH_UNPAID",
     "an operator must see to the account at the search service"},
    {403, 403, Type::DependencyError, "SEARCH_UNAUTHORIZED", kKey},
    {407, 407, Type::DependencyError, "SEARCH_UNAUTHORIZED",
     "an operator must see to tools.web_search.proxy, which wants credentials"},
    {408, 408, Type::TransientError, "SEARCH_UNAVAILABLE", "try again later"},
    {414, 414, Type::InvalidParameters, "SEARCH_REFUSED", "shorten query"},
    {422, 422, Type::InvalidParameters, "SEARCH_REFUSED", kRefused},
    {425, 425, Type::TransientError, "SEARCH_UNAVAILABLE", "try again later"},
    {429, 429, Type::RateLimit, "SEARCH_RATE_LIMITED", "it asks for fewer searches: wait"},
    {400, 499, Type::DependencyError, "SEARCH_ADDRESS_WRONG", kWrongAddress},
    {500, 599, Type::TransientError, "SEARCH_UNAVAILABLE",
     "it failed inside. Try again later; if it stays so, an operator must look at it"},
    {0, 999, Type::DependencyError, "SEARCH_ADDRESS_WRONG", kWrongAddress},
}};

RawToolResult failed_with(Type type, std::string code, std::string message) {
  RawToolResult result;
  result.error = ToolError{type, std::move(code), std::move(message)};
  return result;
}

/// A queue that is full, or an answer that is too long.
RawToolResult beyond_limit(const Error& error, const WebSearchConfig& config) {
  if (error.retry == Retry::Later)
    return failed_with(Type::ResourceError, "SEARCH_BUSY",
                       "too many searches are waiting for the search service. Try again later");
  return failed_with(Type::DependencyError, "SEARCH_ANSWER_TOO_LARGE",
                     "the search service's answer is larger than " +
                         std::to_string(config.response_bytes_max) +
                         " bytes. Ask for fewer results; or an operator must raise "
                         "tools.web_search.response_bytes_max");
}

}  // namespace

RawToolResult search_failure(const Error& error, const WebSearchConfig& config) {
  if (error.code == ErrorCode::LimitExceeded) return beyond_limit(error, config);
  for (const EndRow& row : kEnds)
    if (row.from == error.code) return failed_with(row.type, row.code, row.words);
  return failed_with(kEnds.back().type, kEnds.back().code, kEnds.back().words);
}

RawToolResult search_failure(int status, std::optional<Milliseconds> asked) {
  const StatusRow* row = kStatuses.data();
  while (row != &kStatuses.back() && (status < row->first || status > row->last)) ++row;
  RawToolResult failure = failed_with(
      row->type, row->code,
      "the search service answered with HTTP status " + std::to_string(status) + ": " + row->words);
  add_retry_after(failure, asked);
  return failure;
}

RawToolResult search_answer_invalid(const std::string& what) {
  return failed_with(Type::DependencyError, "SEARCH_ANSWER_INVALID",
                     "the search service's answer " + what +
                         ". An operator must check base_url, path, parameters and the pointers in "
                         "tools.web_search");
}

}  // namespace ba
