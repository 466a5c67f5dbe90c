// SPDX-License-Identifier: Apache-2.0
#include "worker/vector/vector_failures.hpp"

#include <array>
#include <utility>

#include "pipeline/tool/retry_policy.hpp"
#include "worker/tools/sql_errors.hpp"

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
    "the embeddings service can't be reached, or broke off its answer. Try again later; if it "
    "stays so, an operator must check that it runs at tools.vector_search.base_url";

constexpr std::array<EndRow, 6> kEnds{{
    {ErrorCode::Unavailable, Type::TransientError, "EMBEDDING_UNREACHABLE", kUnreachable},
    // Of the connection: the time of the whole call is kept elsewhere.
    {ErrorCode::Timeout, Type::TransientError, "EMBEDDING_UNREACHABLE", kUnreachable},
    {ErrorCode::Authentication, Type::DependencyError, "EMBEDDING_CERTIFICATE_REFUSED",
     "the embeddings service's certificate can't be verified. An operator must set "
     "tools.vector_search.ca_file, or mend the certificate"},
    {ErrorCode::Protocol, Type::DependencyError, "EMBEDDING_NOT_HTTP",
     "what answers for the embeddings service doesn't speak HTTP as it should. An operator must "
     "check tools.vector_search.base_url"},
    {ErrorCode::InvalidArgument, Type::DependencyError, "EMBEDDING_MISCONFIGURED",
     "the embeddings service can't be asked as configured. An operator must check "
     "tools.vector_search.base_url and ca_file"},
    {ErrorCode::Internal, Type::InternalError, "EMBEDDING_FAILED", "the request failed"},
}};

struct StatusRow {
  int first;  ///< of a range
  int last;
  Type type;
  const char* code;
  const char* words;
};

constexpr const char* kRefused =
    "it refuses this query: shorten it. If it refuses every query, an operator must check model in "
    "tools.vector_search";
constexpr const char* kKey = "an operator must mend tools.vector_search.api_key";
constexpr const char* kWrongAddress =
    "an operator must check base_url and model in tools.vector_search";

constexpr std::array<StatusRow, 14> kStatuses{{
    {300, 399, Type::DependencyError, "EMBEDDING_REDIRECTED",
     "redirects aren't followed: an operator must set tools.vector_search.base_url to where it is"},
    {400, 400, Type::InvalidParameters, "EMBEDDING_REFUSED", kRefused},
    {401, 401, Type::DependencyError, "EMBEDDING_UNAUTHORIZED", kKey},
    {402, 402, Type::DependencyError, "EMBEDDING_UNPAID",
     "an operator must see to the account at the embeddings service"},
    {403, 403, Type::DependencyError, "EMBEDDING_UNAUTHORIZED", kKey},
    {407, 407, Type::DependencyError, "EMBEDDING_UNAUTHORIZED",
     "an operator must see to tools.vector_search.proxy, which wants credentials"},
    {408, 408, Type::TransientError, "EMBEDDING_UNAVAILABLE", "try again later"},
    {413, 413, Type::InvalidParameters, "EMBEDDING_REFUSED", kRefused},
    {422, 422, Type::InvalidParameters, "EMBEDDING_REFUSED", kRefused},
    {425, 425, Type::TransientError, "EMBEDDING_UNAVAILABLE", "try again later"},
    {429, 429, Type::RateLimit, "EMBEDDING_RATE_LIMITED", "it asks for fewer requests: wait"},
    {400, 499, Type::DependencyError, "EMBEDDING_ADDRESS_WRONG", kWrongAddress},
    {500, 599, Type::TransientError, "EMBEDDING_UNAVAILABLE",
     "it failed inside. Try again later; if it stays so, an operator must look at it"},
    {0, 999, Type::DependencyError, "EMBEDDING_ADDRESS_WRONG", kWrongAddress},
}};

RawToolResult failed_with(Type type, std::string code, std::string message) {
  RawToolResult result;
  result.error = ToolError{type, std::move(code), std::move(message)};
  return result;
}

/// A queue that is full, or an answer that is too long.
RawToolResult beyond_limit(const Error& error, const VectorSearchConfig& config) {
  if (error.retry == Retry::Later)
    return failed_with(Type::ResourceError, "EMBEDDING_BUSY",
                       "too many searches are waiting for the embeddings service. Try again later");
  return failed_with(Type::DependencyError, "EMBEDDING_ANSWER_TOO_LARGE",
                     "the embeddings service's answer is larger than " +
                         std::to_string(config.response_bytes_max) +
                         " bytes: an operator must check model, or raise "
                         "tools.vector_search.response_bytes_max");
}

}  // namespace

RawToolResult embedding_failure(const Error& error, const VectorSearchConfig& config) {
  if (error.code == ErrorCode::LimitExceeded) return beyond_limit(error, config);
  for (const EndRow& row : kEnds)
    if (row.from == error.code) return failed_with(row.type, row.code, row.words);
  return failed_with(kEnds.back().type, kEnds.back().code, kEnds.back().words);
}

RawToolResult embedding_failure(int status, std::optional<Milliseconds> asked) {
  const StatusRow* row = kStatuses.data();
  while (row != &kStatuses.back() && (status < row->first || status > row->last)) ++row;
  RawToolResult failure = failed_with(row->type, row->code,
                                      "the embeddings service answered with HTTP status " +
                                          std::to_string(status) + ": " + row->words);
  add_retry_after(failure, asked);
  return failure;
}

RawToolResult embedding_invalid(const std::string& what) {
  return failed_with(Type::DependencyError, "EMBEDDING_INVALID",
                     "the embeddings service's answer " + what +
                         ". An operator must check base_url, model and dimensions in "
                         "tools.vector_search");
}

RawToolResult index_misconfigured(const VectorIndexConfig& index, const std::string& what) {
  return failed_with(Type::DependencyError, "INDEX_MISCONFIGURED",
                     "The index '" + index.name + "' can't be searched: " + what +
                         ". An operator must mend it in tools.vector_search.indexes, or the table");
}

RawToolResult index_too_large(const VectorIndexConfig& index, const char* limit,
                              const std::string& value) {
  return failed_with(Type::DependencyError, "INDEX_TOO_LARGE",
                     "The index '" + index.name + "' is larger than an exact search may read (" +
                         limit + ": " + value +
                         "), and none of it was searched. An operator must "
                         "raise " +
                         limit +
                         " of it in tools.vector_search.indexes, or make its "
                         "column '" +
                         index.embedding_column + "' one of pgvector's type vector");
}

RawToolResult index_failure(const VectorIndexConfig& index, const SqlFailure& failure) {
  ToolError error = error_of(failure, index.data_source);
  // The statement is not the model's: only a person can mend what the server refuses of it.
  if (error.type == Type::InvalidParameters) error.type = Type::DependencyError;
  // Somebody else (an administrator) cancelled it.
  if (failure.sqlstate == "57014") error.type = Type::TransientError;
  if (failure.kind == SqlFailure::Kind::Server)
    error.message = "The index '" + index.name + "' can't be searched: " + error.message +
                    ". If it stays so, an operator must check its table, its columns and the "
                    "rights of the login role of '" +
                    index.data_source + "'";
  RawToolResult result;
  result.error = std::move(error);
  return result;
}

}  // namespace ba
